import { once } from 'node:events'
import { decodePicture } from './decode-picture.ts'
import { loadSharp } from './load-sharp.ts'
import type { PictureJob } from './picture-job.ts'

// The program of a process that decodes pictures, one after the other. sharp decodes in a thread, so this one is free to watch
// how much memory and time that takes. What a picture needs can't be known from its header: it depends on the format, its
// shape and the decoder, whose defects are part of the question as well.

/** In milliseconds: how often memory and time are checked. */
const INTERVAL = 5
/** In seconds of processor time, so that a busy machine refuses no picture. */
const LONGEST = 10
/** In bytes: what may be left over of earlier pictures. A process that holds more is replaced. */
const LEFT_OVER = 32 * 1024 ** 2
/** In bytes: the memory of the process before its first picture. */
let empty: number | undefined

process.on('message', (job: PictureJob) => void run(job))
process.on('disconnect', end)

async function run(job: PictureJob): Promise<void> {
  // What the library itself takes doesn't count.
  await loadSharp().catch(() => undefined)
  const before = process.memoryUsage.rss()
  empty ??= before
  const limit = before + job.size + job.memory
  const startedAt = process.cpuUsage()
  const watching = setInterval(() => {
    const { user, system } = process.cpuUsage(startedAt)
    if (process.memoryUsage.rss() > limit || user + system > LONGEST * 1e6) end()
  }, INTERVAL)
  const outcome = await decodePicture(await content(job.size), job)
  clearInterval(watching)
  const isReusable = process.memoryUsage.rss() < empty + LEFT_OVER
  process.send?.({ outcome, isReusable })
}

async function content(size: number): Promise<Buffer> {
  const whole = Buffer.alloc(size)
  for (let at = 0; at < size;) {
    const chunk: unknown = process.stdin.read()
    if (Buffer.isBuffer(chunk)) at += chunk.copy(whole, at)
    else await once(process.stdin, 'readable')
  }
  return whole
}

/** At once: an ordinary exit would wait for the decoder. */
function end(): void {
  process.kill(process.pid, 'SIGKILL')
}
