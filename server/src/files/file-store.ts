import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'

/** In milliseconds: storage that is silent for this long is away. Shorter than the deadline of a request. */
export const ANSWER_WITHIN = 5000

/** Where files are: a folder or a bucket. A name is random and used once, so a file never changes. */
export interface FileStore {
  readonly kind: 'folder' | 'bucket'
  /** For the operator: `the folder /srv/files`. */
  readonly place: string
  /** Stores all `length` bytes, so that they survive a power cut, or nothing. */
  put(name: string, content: Buffer | Readable, length: number): Promise<void>
  /** Returns undefined if there is no such file. The caller reads the body to its end or destroys it. */
  get(name: string, range?: ByteRange): Promise<FileContent | undefined>
  /** It doesn't matter whether the files exist. */
  delete(names: readonly string[]): Promise<void>
}

/** Within the file, both inclusive, as in an HTTP range. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface FileContent {
  readonly body: Readable
  /** Of the body, in bytes: the whole file, or the requested range of it. */
  readonly length: number
}

export function newFileName(): string {
  return randomBytes(16).toString('hex')
}

/** No other name reaches a path or an address, so there is nothing to escape. */
export function requireFileName(name: string): string {
  if (!/^[0-9a-f]{32}$/.test(name)) throw new Error(`not the name of a stored file: ${JSON.stringify(name)}`)
  return name
}

/** What should be stored broke off, or isn’t as long as announced: the storage is not to blame. */
export class ContentError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ContentError'
  }
}

/**
 * The content in chunks. Fails with a `ContentError` unless it has exactly this length: before the last chunk, so that nobody
 * who counts along takes it for complete.
 */
export async function* exactly(content: Buffer | Readable, length: number): AsyncGenerator<Buffer> {
  const chunks: AsyncIterable<Buffer> | readonly Buffer[] = Buffer.isBuffer(content) ? [content] : content
  let read = 0
  let last: Buffer | undefined
  try {
    for await (const chunk of chunks) {
      read += chunk.length
      if (read > length) break
      if (last) yield last
      last = chunk
    }
  } catch (error) {
    throw new ContentError('the content broke off', { cause: error })
  }
  if (read !== length) throw new ContentError(`the content should have ${length} bytes, and has ${read} or more`)
  if (last) yield last
}
