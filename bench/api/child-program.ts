import { fork, type ChildProcess, type ForkOptions } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { INSPECTED, inspectorOf } from '../events/inspector.ts'

/** A program of this folder in its own process, which replies to each message with one. */
export interface ChildProgram {
  readonly pid: number
  /** The inspector's address, if it was started with one. */
  readonly inspector: Promise<string> | undefined
  ask<Answer>(message: object): Promise<Answer>
  stop(): Promise<void>
}

export function startProgram(file: string, { inspected = false } = {}): ChildProgram {
  const options: ForkOptions = inspected ? { execArgv: [INSPECTED], stdio: ['inherit', 'inherit', 'pipe', 'ipc'] } : {}
  const child = fork(join(import.meta.dirname, file), options)
  const ended = once(child, 'exit')
  return {
    pid: pidOf(child),
    inspector: child.stderr ? inspectorOf(child.stderr) : undefined,
    ask: async <Answer>(message: object): Promise<Answer> => {
      const answered = once(child, 'message')
      child.send(message)
      const died = ended.then(() => {
        throw new Error(`${file} ended before it answered`)
      })
      const [answer] = await Promise.race([answered, died])
      return answer as Answer
    },
    stop: async () => {
      child.kill()
      await ended
    },
  }
}

export function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('a program could not be started')
  return pid
}
