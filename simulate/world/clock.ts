import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Debian’s package `faketime`, if it is installed. The variant for programs with threads. */
const library = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path))

/** The wall clock of one process, which can be set. Its monotonic clock goes on as always. */
export class Clock {
  readonly kind: string
  /** The name of the process. */
  readonly name: string
  readonly #file: string

  private constructor(kind: string, name: string, file: string) {
    this.kind = kind
    this.name = name
    this.#file = file
  }

  static async make({ kind, name, folder }: { kind: string; name: string; folder: string }): Promise<Clock> {
    if (library === undefined) throw new Error('libfaketime (Debian’s package faketime) isn’t installed')
    const clock = new Clock(kind, name, join(folder, `clock-of-${name}`))
    await clock.set(0)
    return clock
  }

  /** What the process has to be started with. */
  get environment(): Record<string, string> {
    return {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      // All threads and processes see a change at once, as they do on a real machine.
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    }
  }

  /** In milliseconds, ahead of the real time, or behind it. */
  async set(offset: number): Promise<void> {
    await writeFile(this.#file, `${offset < 0 ? '-' : '+'}${Math.abs(offset) / 1000}s\n`)
  }
}
