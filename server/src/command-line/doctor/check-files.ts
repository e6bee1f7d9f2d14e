import { existsSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import type { Config } from '../../config/config.ts'
import { ANSWER_WITHIN, newFileName } from '../../files/file-store.ts'
import { unusable } from '../../files/files.ts'
import { filesFolder, openFileStore, s3Address } from '../../files/open-file-store.ts'
import { fileUrl } from '../../files/s3-store.ts'
import { failure, ok, warning, type Finding, type Findings } from './finding.ts'

const FILES = 'Files'
const CONTENT = Buffer.from('Portico’s doctor was here.\n')

/** Writes, reads and deletes a file where the portal stores its files. */
export async function* checkFiles(config: Config): Findings {
  const address = s3Address(config)
  if (!address && config.FILES_FOLDER === null && !existsSync(filesFolder(config))) {
    yield ok(FILES, `${filesFolder(config)} doesn’t exist yet; the first start creates it`)
    return
  }
  const store = await openFileStore(config)
  const name = newFileName()
  try {
    const start = performance.now()
    await store.put(name, CONTENT, CONTENT.length)
    const written = performance.now()
    const found = await store.get(name)
    if (!found || !(await buffer(found.body)).equals(CONTENT)) throw new Error('what was written can’t be read')
    const read = performance.now()
    if (address && (await isPublic(fileUrl(address, name)))) yield everyoneReads(address.bucket)
    await store.delete([name])
    yield ok(
      FILES,
      `in ${store.place}, written in ${milliseconds(start, written)}, read in ${milliseconds(written, read)}`,
    )
  } catch (error) {
    const { message, hint } = unusable(store, error)
    yield failure(FILES, message, hint)
  }
}

function milliseconds(from: number, to: number): string {
  return `${(to - from).toFixed(1)} ms`
}

/** Whether a request without a signature is answered. */
async function isPublic(url: string): Promise<boolean> {
  const { ok: isAnswered, body } = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN) })
  await body?.cancel()
  return isAnswered
}

function everyoneReads(bucket: string): Finding {
  return warning(
    FILES,
    `anyone who knows its address can read a file in the bucket ${bucket}`,
    'Remove public access from the bucket; the portal needs none.',
  )
}
