import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** A program in Python that says what happens to it, one JSON object per line. Stopped after the test. */
export class PythonProgram<Said extends { readonly what: string }> {
  readonly said: Said[] = []
  readonly #child: ChildProcess
  #waiting: (() => void)[] = []
  #ended = ''

  constructor(python: string | undefined, args: readonly string[]) {
    if (python === undefined) throw new Error('There is no Python with these packages')
    const child = spawn(python, args)
    this.#child = child
    let stderr = ''
    child.stderr.on('data', (chunk) => (stderr += String(chunk)))
    createInterface(child.stdout).on('line', (line) => {
      this.said.push(JSON.parse(line) as Said)
      this.#wake()
    })
    const ended = once(child, 'close').then(() => {
      this.#ended = `the Python program ended:\n${stderr}`
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
