import { copyFile, open, stat, truncate } from 'node:fs/promises'
import type { Log } from '../log.ts'
import { isMissing } from './file-errors.ts'

/** In bytes. One older file of this size is kept. */
const enough = 4 * 1024 * 1024
const lookEvery = 30_000

/** PostgreSQL's own log, bounded also while it runs. */
export async function openServerLog(path: string, log: Log) {
  await putAside(path)
  let begin = await sizeOf(path)
  const handle = await open(path, 'a', 0o600)
  const looking = setInterval(() => {
    putAside(path).then(
      (isNew) => {
        if (isNew) begin = 0
      },
      (error: unknown) => log.warn({ err: error }, 'rotating the PostgreSQL log failed'),
    )
  }, lookEvery).unref()
  return {
    path,
    fd: handle.fd,
    close: () => handle.close(),
    /** To be called when the server has ended. */
    end: () => clearInterval(looking),
    /** The log lines since this start. */
    async read(): Promise<string> {
      const reader = await open(path, 'r')
      try {
        const length = Math.min((await reader.stat()).size - begin, 64 * 1024)
        const { buffer, bytesRead } = await reader.read(Buffer.alloc(Math.max(length, 0)), { position: begin })
        return buffer.toString('utf8', 0, bytesRead)
      } finally {
        await reader.close()
      }
    },
  }
}

/** The server keeps appending to its open file, so it is truncated, not renamed. */
async function putAside(path: string): Promise<boolean> {
  if ((await sizeOf(path)) <= enough) return false
  await copyFile(path, `${path}.old`)
  await truncate(path)
  return true
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}
