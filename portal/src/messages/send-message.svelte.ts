import { untrack } from 'svelte'
import type { Composing, WrittenMessage } from '#completion/composing.svelte.ts'
import type { MessageLength } from '#completion/message-length.svelte.ts'
import { joined } from '#drafts/drafts.svelte.ts'
import { withFiles } from '#files/file-markdown.ts'
import type { Uploads } from '#files/uploads.svelte.ts'
import { subscribe } from '#live/live.svelte.ts'

interface Options {
  readonly composing: Composing
  readonly uploads: Uploads
  readonly length: MessageLength
  isSendable(): boolean
  onsend(message: WrittenMessage): void
}

/**
 * Returns the function that sends the message being written. One whose files are still being uploaded leaves the field and waits for
 * them. Called when the composer is created.
 */
export function sender({ composing, uploads, length, isSendable, onsend }: Options): () => Promise<void> {
  const written = (): { readonly text: string } => composing.waiting ?? composing

  async function send(): Promise<void> {
    if (length.measuring) return
    const { text } = written()
    if (isSendable() && length.isUncertain) await length.measure()
    // Its author typed on while the names were looked up.
    if (text !== written().text) return
    uploads.renew()
    const sendable = isSendable()
    uploads.sending = sendable && !uploads.done
    if (!sendable) return
    const message = composing.waiting ?? take()
    composing.waiting = uploads.sending ? message : undefined
    if (!uploads.sending) onsend({ ...message, text: withFiles(message.text, uploads.take()) })
  }

  /** Takes the message out of the field. */
  function take(): WrittenMessage {
    const message = { text: composing.text, replyTo: composing.isTargetDeleted ? undefined : composing.replyTo }
    composing.text = ''
    composing.replyTo = undefined
    return message
  }

  function giveBack(): void {
    const { waiting } = composing
    if (!waiting) return
    composing.waiting = undefined
    composing.text = joined([waiting.text, composing.text])
    composing.replyTo ??= waiting.replyTo
  }

  $effect(() =>
    subscribe('message.deleted', ({ data: { message } }) => {
      if (message.id === composing.replyTo?.id) composing.deletedTarget = message.id
      const { waiting } = composing
      if (waiting && message.id === waiting.replyTo?.id) composing.waiting = { ...waiting, replyTo: undefined }
    }),
  )
  // A message that waited for its files goes as soon as they are uploaded.
  $effect(() => {
    if (uploads.sending && uploads.done) untrack(() => void send())
  })
  // Its author has stopped it, or a file can't be uploaded.
  $effect(() => {
    if (!uploads.sending) untrack(giveBack)
  })
  return send
}
