import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** A program in another language that says what happens to it, one JSON object per line. Stopped after the test. */
export class ReportingProgram<Said extends { readonly what: string }> {
  readonly said: Said[] = []
  readonly #child: ChildProcess
  #waiting: (() => void)[] = []
  #ended = ''

  constructor(program: string | undefined, args: readonly string[]) {
    if (program === undefined) throw new Error('The program or its packages are missing')
    const child = spawn(program, args)
    this.#child = child
    let stderr = ''
    child.stderr.on('data', (chunk) => (stderr += String(chunk)))
    createInterface(child.stdout).on('line', (line) => {
      this.said.push(JSON.parse(line) as Said)
      this.#wake()
    })
    const ended = once(child, 'close').then(() => {
      this.#ended = `the program ended:\n${stderr}`
      this.#wake()
    })
    onTestFinished(async () => {
      child.kill()
      await ended
    })
  }

  of(what: Said['what']): Said[] {
    return this.said.filter((said) => said.what === what)
  }

  async until(happened: () => boolean): Promise<void> {
    while (!happened()) {
      if (this.#ended !== '') throw new Error(this.#ended)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** Gives it a line to read. */
  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`)
  }

  #wake(): void {
    for (const waiting of this.#waiting.splice(0)) waiting()
  }
}
