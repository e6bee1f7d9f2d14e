import { LIMITS } from '@portico/contract/limits'
import type { QueryClient } from '@tanstack/svelte-query'
import { longestToSend, NO_NAMES, withMentions, type Names } from './mentions.ts'
import { namesIn, type NamePlace } from './names-in.ts'

/** The remaining length is shown from here on. */
const NEARLY_FULL = 200

interface Measured {
  readonly place: NamePlace
  /** The text as it was typed. */
  readonly text: string
  /** Whom and what its names mean, once that is known. */
  names: Names | undefined
}

/** How much more fits into a message. What counts is the text as it will be sent, in which names are longer. */
export class MessageLength {
  readonly #client: QueryClient
  readonly #measured: Measured
  /** The names are being looked up. */
  measuring = $state(false)

  constructor(client: QueryClient, measured: Measured) {
    this.#client = client
    this.#measured = measured
  }

  /** The text as it will be sent, as far as that matters. */
  readonly written = $derived.by(() => {
    const { place, text, names = NO_NAMES } = this.#measured
    return this.countsNames ? withMentions(place.channelId, text, names) : text
  })

  /** The remaining length; negative if the text is too long. */
  readonly left = $derived(LIMITS.messageText - [...this.written].length)

  get nearlyFull(): boolean {
    return this.left < NEARLY_FULL
  }

  /** Whether the remaining length may depend on the meaning of names. */
  get countsNames(): boolean {
    return longestToSend(this.#measured.text) > LIMITS.messageText - NEARLY_FULL
  }

  /** Whether it depends on the meaning of names if the text is too long. */
  get isUncertain(): boolean {
    return longestToSend(this.#measured.text) > LIMITS.messageText
  }

  /** Looks up whom the names mean. */
  async measure(): Promise<void> {
    const { place, text } = this.#measured
    this.measuring = true
    try {
      const names = await namesIn(this.#client, place, text)
      if (this.#measured.text === text) this.#measured.names = names
    } catch {
      // Without a connection they are looked up when the message is sent.
    } finally {
      this.measuring = false
    }
  }
}
