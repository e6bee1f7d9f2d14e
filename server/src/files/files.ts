import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { StartError } from '../db/start-error.ts'
import type { Log } from '../telemetry/log.ts'
import { ANSWER_WITHIN, ContentError, type ByteRange, type FileContent, type FileStore } from './file-store.ts'

/** In milliseconds: a disk that sleeps takes ten seconds to turn. */
const START_WITHIN = 30_000
/** In milliseconds. */
const CHECK_INTERVAL = 5000
/** Written at every start and read by every check. */
const PROBE = { name: '0'.repeat(32), content: 'Portico reads this file to see whether its storage works.\n' }

/** The storage failed or is known to be away. Nothing was changed that anything refers to. */
export class FilesUnavailable extends Error {
  constructor(options?: ErrorOptions) {
    super('the file storage is not available', options)
    this.name = 'FilesUnavailable'
  }
}

/**
 * The files of the portal. When the storage is away, requests fail at once instead of waiting for it one after the other; it is
 * checked every few seconds, and after each failure.
 */
export class Files {
  readonly #store: FileStore
  readonly #log: Log
  #isReady = true
  #errors = 0
  #isChecking = false
  #timer: NodeJS.Timeout | undefined

  private constructor(store: FileStore, log: Log) {
    this.#store = store
    this.#log = log
  }

  /** Throws a `StartError` if files can't be written and read. */
  static async open(store: FileStore, log: Log): Promise<Files> {
    const files = new Files(store, log)
    try {
      await inTime(store.put(PROBE.name, Buffer.from(PROBE.content), PROBE.content.length), START_WITHIN)
      await inTime(files.#readProbe(), START_WITHIN)
    } catch (error) {
      throw unusable(store, error)
    }
    files.#timer = setInterval(() => files.#check(), CHECK_INTERVAL).unref()
    return files
  }

  get kind(): FileStore['kind'] {
    return this.#store.kind
  }

  get place(): string {
    return this.#store.place
  }

  /** Whether the last check succeeded. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** How many requests have failed. */
  get errors(): number {
    return this.#errors
  }

  put(name: string, content: Buffer | Readable, length: number): Promise<void> {
    return this.#request('put', () => {
      const stored = this.#store.put(name, content, length)
      // A stream takes as long as its sender needs.
      return Buffer.isBuffer(content) ? inTime(stored, ANSWER_WITHIN) : stored
    })
  }

  get(name: string, range?: ByteRange): Promise<FileContent | undefined> {
    return this.#request('get', () => {
      const opening = this.#store.get(name, range)
      return inTime(opening, ANSWER_WITHIN, (late) => late?.body.destroy())
    })
  }

  delete(names: readonly string[]): Promise<void> {
    return this.#request('delete', () => this.#store.delete(names))
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #request<T>(operation: string, send: () => Promise<T>): Promise<T> {
    if (!this.#isReady) throw new FilesUnavailable()
    try {
      return await send()
    } catch (error) {
      if (error instanceof ContentError) throw error
      this.#errors += 1
      this.#log.error({ err: error, operation }, 'file storage request failed')
      this.#check()
      throw new FilesUnavailable({ cause: error })
    }
  }

  /** One at a time: a folder on a network that doesn't respond would block one thread after the other. */
  #check(): void {
    if (this.#isChecking) return
    this.#isChecking = true
    const late = setTimeout(() => this.#note(false, tooLate(ANSWER_WITHIN)), ANSWER_WITHIN).unref()
    this.#readProbe()
      .then(
        () => this.#note(true),
        (error: unknown) => this.#note(false, error),
      )
      .finally(() => {
        clearTimeout(late)
        this.#isChecking = false
      })
  }

  async #readProbe(): Promise<void> {
    const found = await this.#store.get(PROBE.name)
    if (!found) throw new Error('a file that was written is missing')
    if ((await text(found.body)) !== PROBE.content) throw new Error('a file was changed')
  }

  #note(isReady: boolean, error?: unknown): void {
    if (isReady === this.#isReady) return
    this.#isReady = isReady
    if (isReady) this.#log.info('file storage is available')
    else this.#log.warn({ err: error }, 'file storage is not available; continuing without it')
  }
}

export function unusable({ place }: FileStore, error: unknown): StartError {
  const why = error instanceof Error ? error.message : String(error)
  return new StartError(
    `Files can’t be stored in ${place}: ${why}.`,
    'Check FILES_FOLDER, or the S3_… settings, and whether the storage is there; see docs/scaling.md.',
    { cause: error },
  )
}

async function inTime<T>(work: Promise<T>, within: number, discard: (late: T) => void = () => {}): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(tooLate(within))
    work.then(discard, () => undefined)
  }, within)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function tooLate(within: number): Error {
  return new Error(`no answer within ${within} ms`)
}
