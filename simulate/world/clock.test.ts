import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { Clock } from './clock.ts'

/** Prints both clocks whenever it is asked to. */
const PROGRAM = `process.stdin.on('data', () => console.log(Date.now(), performance.now() + performance.timeOrigin))`
/** In milliseconds: for everything that happens between two readings. */
const TOLERANCE = 500

test('Clock sets the wall clock of a running process, and leaves its monotonic clock alone', async ({ skip }) => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-clock-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const options = { kind: 'portico', name: 'node-1', folder }
  const clock = await Clock.make(options).catch((error: Error) => skip(error.message))
  const child = spawn(process.execPath, ['-e', PROGRAM], { env: clock.environment })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })
  const read = async (): Promise<[wall: number, monotonic: number]> => {
    child.stdin.write('now')
    const [line] = (await once(lines, 'line')) as [string]
    const [wall = 0, monotonic = 0] = line.split(' ').map(Number)
    return [wall - Date.now(), monotonic - Date.now()]
  }
  for (const offset of [0, 90_500, -300_000, 0]) {
    await clock.set(offset)
    const [wall, monotonic] = await read()
    expect(Math.abs(wall - offset)).toBeLessThan(TOLERANCE)
    expect(Math.abs(monotonic)).toBeLessThan(TOLERANCE)
  }
})
