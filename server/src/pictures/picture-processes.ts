import { fork, type ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { totalmem } from 'node:os'
import type { Readable } from 'node:stream'
import { FairSemaphore } from '../operations/fair-semaphore.ts'
import type { Services } from '../operations/services.ts'
import type { PictureJob, PictureKind, PictureOutcome } from './picture-job.ts'

const MEBIBYTE = 1024 ** 2
/** All pictures share these, so that together they take no more memory than two. */
const decoding = new FairSemaphore({ atOnce: 2, longestWait: 60_000 })
/** In bytes, for each of the two: an eighth of what the machine or the container has, within bounds. */
const MEMORY = Math.min(Math.max(availableMemory() / 8, 64 * MEBIBYTE), 128 * MEBIBYTE)
/** In milliseconds: a process that doesn’t answer is ended. It ends itself much earlier, by its own processor time. */
const ANSWERS_WITHIN = 120_000
/** In milliseconds: a process without work ends after this time. */
const IDLE = 30_000

export interface Picture {
  readonly kind: PictureKind
  readonly size: number
  readonly open: () => Promise<Readable>
  /** Whose turn it takes. */
  readonly personId: string
}

interface Answer {
  readonly outcome: PictureOutcome
  /** False if memory is left over that it doesn’t give back. */
  readonly isReusable: boolean
}

/** Processes without work, with the timers that end them. */
const idle = new Map<ChildProcess, NodeJS.Timeout>()

/**
 * Decodes a picture in another process, which may die of it alone: of the memory or time that it takes, or of a defect of the
 * decoder. One at a time for a person, and two in all. The deadline of the request has to be paused meanwhile.
 */
export function makeInProcess(
  { log }: Pick<Services, 'log'>,
  { kind, size, open, personId }: Picture,
): Promise<PictureOutcome> {
  return decoding.run(personId, async () => {
    const content = await open()
    const child = wake() ?? start()
    try {
      return await ask(child, { kind, size, memory: MEMORY }, content, log)
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    } finally {
      content.destroy()
    }
  })
}

/** Its environment has only where libraries are, so a defect of the decoder gives no secret away. */
function start(): ChildProcess {
  const child = fork(new URL('picture-process.ts', import.meta.url), {
    env: { LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'] },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  })
  // The pipe breaks when the process ends before it has read everything.
  child.stdin?.on('error', () => undefined)
  child.on('exit', () => forget(child))
  return child
}

function ask(child: ChildProcess, job: PictureJob, content: Readable, log: Services['log']): Promise<PictureOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<PictureOutcome>()
  const timeout = setTimeout(() => child.kill('SIGKILL'), ANSWERS_WITHIN)
  const onError = (error: Error): void => {
    log.error({ err: error }, 'starting a process for pictures failed')
    resolve({ failure: 'unavailable' })
  }
  const onExit = (code: number | null, signal: string | null): void => {
    log.warn({ code, signal, ...job }, 'a picture ended the process that decoded it')
    resolve({ failure: 'too_large' })
  }
  const onMessage = ({ outcome, isReusable }: Answer): void => {
    child.off('exit', onExit)
    if (isReusable) rest(child)
    else child.kill('SIGKILL')
    resolve(outcome)
  }
  child.once('error', onError).once('exit', onExit).once('message', onMessage)
  content.once('error', reject)
  child.send(job, (error) => {
    // The process is gone already; its exit is reported as well.
    if (!error && child.stdin) content.pipe(child.stdin, { end: false })
  })
  return promise.finally(() => {
    clearTimeout(timeout)
    child.off('error', onError).off('exit', onExit).off('message', onMessage)
  })
}

function rest(child: ChildProcess): void {
  const ending = setTimeout(() => {
    forget(child)
    child.kill('SIGKILL')
  }, IDLE).unref()
  hold(child, false)
  idle.set(child, ending)
}

function wake(): ChildProcess | undefined {
  const [child] = idle.keys()
  if (!child) return undefined
  forget(child)
  hold(child, true)
  return child
}

function forget(child: ChildProcess): void {
  clearTimeout(idle.get(child))
  idle.delete(child)
}

/** Only a process that works keeps this one from exiting. */
function hold(child: ChildProcess, isHeld: boolean): void {
  const how = isHeld ? 'ref' : 'unref'
  child[how]()
  child.channel?.[how]()
  if (child.stdin instanceof Socket) child.stdin[how]()
}

function availableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
