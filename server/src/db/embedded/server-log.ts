import { open, rename, stat } from 'node:fs/promises'
import { isMissing } from './file-faults.ts'

const enough = 4 * 1024 * 1024

/** PostgreSQL's own log. One older file is kept; a long one is put aside at the next start. */
export async function openServerLog(path: string) {
  const size = await sizeOf(path)
  if (size > enough) await rename(path, `${path}.old`)
  const handle = await open(path, 'a', 0o600)
  const begin = size > enough ? 0 : size
  return {
    path,
    fd: handle.fd,
    close: () => handle.close(),
    /** What the server has written since this start. */
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

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}
