import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A program of this folder in a process of its own, which answers each message with one. */
export interface ChildProgram {
  readonly pid: number
  ask<Answer>(message: object): Promise<Answer>
  stop(): Promise<void>
}

export function startProgram(file: string): ChildProgram {
  const child = fork(join(import.meta.dirname, file))
  const ended = once(child, 'exit')
  return {
    pid: pidOf(child),
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
