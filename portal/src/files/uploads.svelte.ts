import { Refused, Unreachable } from '#api/api.ts'
import { explainError } from '#api/explain-error.ts'
import { live } from '#live/live.svelte.ts'
import { filesIn, keepDraft } from '#drafts/drafts.svelte.ts'
import { m } from '#paraglide/messages.js'
import { showToast } from '#ui/toasts.svelte.ts'
import { Backoff } from '#live/backoff.ts'
import {
  addAttachment,
  changeAttachment,
  dropAttachment,
  storedAttachments,
  type Attachment,
  type StoredAttachment,
} from './attachment-store.ts'
import { formatBytes } from './format-bytes.ts'
import { Upload } from './upload.svelte.ts'
import { uploadFile } from './upload-file.ts'

/** How many are sent at the same time: more would only make each of them slower. */
const AT_ONCE = 2
/** How many fit into a message, whatever their names are. */
const MOST = 10
/** A server that answers everything else but not this upload won't answer it later either. */
const ATTEMPTS = 5
/** The server may delete a file that no message refers to after an hour. One that is older is uploaded again. */
const UPLOADED_FOR_MS = 55 * 60_000

export type UploadPlace = Pick<Attachment, 'accountId' | 'roomId'>

/**
 * The files that are attached to the message being written in one room: uploaded as soon as they are chosen, and stored in
 * this browser until the message is sent.
 */
export class Uploads {
  readonly #place: UploadPlace
  /** Resolves when what earlier pages have left is in the list. */
  readonly restored: Promise<void>
  readonly #backoff = new Backoff()
  #list = $state.raw<readonly Upload[]>([])
  /** The message is sent as soon as its files are uploaded. */
  sending = $state(false)

  constructor(place: UploadPlace) {
    this.#place = place
    this.restored = this.#restore()
  }

  get list(): readonly Upload[] {
    return this.#list
  }

  /** Everything is uploaded; also true without files. */
  get done(): boolean {
    return this.#list.every(({ state }) => state === 'done')
  }

  /** A file can't be sent: its author has to remove it or try again. */
  get failed(): boolean {
    return this.#list.some(({ state }) => state === 'failed')
  }

  /** A file could not be stored, and would be lost with the page. */
  get wouldBeLost(): boolean {
    return this.#list.some(({ storedAs, refused }) => storedAs === undefined && !refused)
  }

  /** What the message gets. Of files that aren't uploaded yet, something as long. */
  get markdown(): string[] {
    return this.#list.map((upload) => upload.markdown)
  }

  /** Attaches files. Those larger than the limit, in bytes, are refused here. */
  add(files: readonly File[], limit: number): void {
    const free = MOST - this.#list.length
    if (files.length > free) showToast(() => m.files_too_many({ count: MOST }))
    const added = files.slice(0, free).map((file) => new Upload(file))
    for (const upload of added) if (upload.file.size > limit) upload.refuse(() => tooLarge(upload.file, limit))
    this.#set([...this.#list, ...added])
    for (const upload of added) if (!upload.refused) void this.#store(upload)
    this.#start()
  }

  /** Stores what has changed, such as the description of a picture. */
  changed(upload: Upload): void {
    if (upload.storedAs !== undefined) void changeAttachment(upload.storedAs, this.#toStored(upload))
  }

  /** Takes a file out of the message. One that is being uploaded is canceled. */
  remove(upload: Upload): void {
    this.#close(upload)
    this.#set(this.#list.filter((one) => one !== upload))
    if (this.#list.length === 0) this.sending = false
    this.#start()
  }

  retry(upload: Upload): void {
    upload.state = 'queued'
    upload.attempts = 0
    this.#start()
  }

  /** The connection may be back: retries immediately. */
  hurry(): void {
    this.#backoff.forget()
    for (const upload of this.#list) if (upload.state === 'waiting') upload.state = 'queued'
    this.#start()
  }

  /** Uploads again what has waited for its message for so long that the server may have deleted it. */
  renew(): void {
    for (const upload of this.#list) if (upload.state === 'done' && isOld(upload.uploadedAt)) upload.state = 'queued'
    this.#start()
  }

  /** The Markdown of the files, which the message now owns. */
  take(): string[] {
    const { markdown } = this
    for (const upload of this.#list) this.#close(upload)
    this.#set([])
    this.sending = false
    return markdown
  }

  #set(list: readonly Upload[]): void {
    this.#list = list
    const { accountId, roomId } = this.#place
    keepDraft(
      accountId,
      filesIn(roomId),
      list.filter(({ refused }) => !refused).map(({ file }) => file.name),
    )
  }

  async #restore(): Promise<void> {
    const stored = await storedAttachments(this.#place)
    this.#set([...stored.map(toUpload), ...this.#list])
    this.#start()
  }

  async #store(upload: Upload): Promise<void> {
    await this.restored
    const key = await addAttachment(this.#toStored(upload), upload.file)
    if (key === undefined) return
    // It was sent or removed, uploaded or described while it was being stored.
    if (!this.#list.includes(upload)) return dropAttachment(key)
    upload.storedAs = key
    await changeAttachment(key, this.#toStored(upload))
  }

  #toStored({ alt, file, uploaded, uploadedAt }: Upload): Attachment {
    return { ...this.#place, alt, size: file.size, uploaded, uploadedAt }
  }

  #close(upload: Upload): void {
    upload.close()
    if (upload.storedAs !== undefined) void dropAttachment(upload.storedAs)
  }

  #start(): void {
    const running = this.#list.filter(({ state }) => state === 'uploading').length
    const next = this.#list.filter(({ state }) => state === 'queued').slice(0, AT_ONCE - running)
    for (const upload of next) void this.#send(upload)
  }

  async #send(upload: Upload): Promise<void> {
    const { signal } = upload.begin()
    try {
      const onprogress = (sent: number) => (upload.sent = sent)
      upload.finish(await uploadFile(this.#place.roomId, upload.file, { signal, onprogress }))
      this.changed(upload)
      this.#backoff.forget()
    } catch (error) {
      if (signal.aborted) return
      if (mayPass(error) && !(live.connected && upload.attempts >= ATTEMPTS)) {
        upload.state = 'waiting'
        this.#backoff.later(() => this.hurry())
      } else {
        upload.fail(() => explainError(error))
        this.sending = false
      }
    }
    this.#start()
  }
}

function toUpload({ key, file, alt, uploaded, uploadedAt = 0 }: StoredAttachment): Upload {
  const upload = new Upload(file)
  upload.storedAs = key
  upload.alt = alt
  if (uploaded && !isOld(uploadedAt)) upload.finish(uploaded, uploadedAt)
  return upload
}

function isOld(uploadedAt = 0): boolean {
  return Date.now() - uploadedAt >= UPLOADED_FOR_MS
}

function tooLarge({ size }: File, limit: number): string {
  return m.file_too_large({ size: formatBytes(size), limit: formatBytes(limit) })
}

/** Whether the same upload may succeed later: no answer, an overloaded server, too many requests, or a slow connection. */
function mayPass(error: unknown): boolean {
  if (error instanceof Refused)
    return error.httpStatus >= 500 || error.httpStatus === 429 || error.body.reason === 'upload_stalled'
  return error instanceof Unreachable
}
