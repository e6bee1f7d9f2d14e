import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { atFileEnd } from '../../server/test/file-end.ts'

/** The Go compiler; undefined if there is none. */
export const go = ['go', '/usr/local/go/bin/go'].find((program) => spawnSync(program, ['version']).status === 0)

/** Builds the WHIP client in `whip-client`, which takes a minute the first time, and returns its path. */
export async function buildWhipClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-whip-'))
  atFileEnd(() => rm(folder, { recursive: true, force: true }))
  const program = join(folder, 'whip-client')
  const cwd = join(import.meta.dirname, 'whip-client')
  const build = spawn(go ?? 'go', ['build', '-o', program, '.'], { cwd, stdio: 'inherit' })
  const [code] = (await once(build, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`The WHIP client could not be built (${code})`)
  return program
}

/** A program that broadcasts as OBS does, in a process of its own. Ended after the test. */
export class WhipProgram {
  readonly #process: ChildProcess
  #output = ''

  constructor(program: string, url: string, key: string) {
    this.#process = spawn(program, [url], {
      env: { ...process.env, WHIP_KEY: key },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#process.stdout?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()))
    onTestFinished(() => void this.#process.kill('SIGKILL'))
  }

  /** What it has printed, such as `connected`. */
  get output(): readonly string[] {
    return this.#output.split('\n')
  }

  /** Ends the broadcast, and returns the exit code. */
  async stop(): Promise<number | null> {
    const exited = once(this.#process, 'exit') as Promise<[number | null]>
    this.#process.stdin?.end()
    return (await exited)[0]
  }

  /** Ends it as a crash does. */
  async crash(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
  }
}
