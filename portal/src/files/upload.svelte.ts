import type { UploadedFile } from '@portico/contract'
import { fileMarkdown } from './file-markdown.ts'

/**
 * `queued`: waits for its turn. `waiting`: interrupted, and retried as soon as there is a connection. `failed`: not
 * retried by itself.
 */
export type UploadState = 'queued' | 'uploading' | 'waiting' | 'failed' | 'done'

let last = 0

/** One file that is attached to the message being written. */
export class Upload {
  readonly key = (last += 1)
  readonly file: File
  /** It looks like a picture. The server decides what it is. */
  readonly looksLikePicture: boolean
  /** A URL of the chosen picture in this browser. */
  readonly thumbnail: string | undefined
  /** What the picture shows, for people who can't see it. */
  alt = $state('')
  /** In bytes. */
  sent = $state(0)
  state = $state<UploadState>('queued')
  attempts = 0
  /** Its key in this browser's storage, from which the next page continues. */
  storedAs: number | undefined
  /** When it was uploaded, in milliseconds since 1970. */
  uploadedAt: number | undefined
  #failure = $state.raw<() => string>()
  #refused = false
  #uploaded = $state.raw<UploadedFile>()
  #request: AbortController | undefined

  constructor(file: File) {
    this.file = file
    this.looksLikePicture = file.type.startsWith('image/') && file.type !== 'image/svg+xml'
    this.thumbnail = this.looksLikePicture ? URL.createObjectURL(file) : undefined
  }

  /** Why it failed. */
  get failure(): string | undefined {
    return this.state === 'failed' ? this.#failure?.() : undefined
  }

  get retryable(): boolean {
    return this.state === 'waiting' || (this.state === 'failed' && !this.#refused)
  }

  get uploaded(): UploadedFile | undefined {
    return this.#uploaded
  }

  /** Trying again can't help. */
  get refused(): boolean {
    return this.#refused
  }

  get markdown(): string {
    const { name } = this.file
    const { alt } = this
    const uploaded = this.#uploaded
    if (uploaded) return fileMarkdown({ ...uploaded, picture: uploaded.width !== undefined, alt })
    const size = this.looksLikePicture ? '?w=00000&h=00000' : `?s=${this.file.size}`
    const url = `/files/00000000-0000-0000-0000-000000000000/${encodeURIComponent(name)}${size}`
    return fileMarkdown({ name, url, picture: this.looksLikePicture, alt })
  }

  begin(): AbortController {
    this.#request = new AbortController()
    this.state = 'uploading'
    this.sent = 0
    this.attempts += 1
    return this.#request
  }

  finish(uploaded: UploadedFile, at = Date.now()): void {
    this.#uploaded = uploaded
    this.uploadedAt = at
    this.state = 'done'
  }

  fail(failure: () => string): void {
    this.#failure = failure
    this.state = 'failed'
  }

  refuse(failure: () => string): void {
    this.#refused = true
    this.fail(failure)
  }

  /** Cancels the upload and frees the thumbnail. */
  close(): void {
    this.#request?.abort()
    if (this.thumbnail !== undefined) URL.revokeObjectURL(this.thumbnail)
  }
}
