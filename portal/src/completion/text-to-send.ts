import { LIMITS } from '@portico/contract/limits'
import type { QueryClient } from '@tanstack/svelte-query'
import { Refused } from '#api/api.ts'
import { NO_NAMES, withMentions } from './mentions.ts'
import { namesIn, type NamePlace } from './names-in.ts'

/** Answers to someone who is no longer a member. */
const NO_ACCESS = new Set([403, 404])

/**
 * A typed text as it is sent, with mentions, links to rooms and emoji in place of their names. Fails if the server can't
 * be reached; if it refuses to look names up, only those chosen from the list are replaced.
 */
export async function textToSend(client: QueryClient, place: NamePlace, typed: string): Promise<string> {
  try {
    return withMentions(place.channelId, typed, await namesIn(client, place, typed))
  } catch (error) {
    if (!(error instanceof Refused) || !NO_ACCESS.has(error.httpStatus)) throw error
    return withMentions(place.channelId, typed, NO_NAMES)
  }
}

/**
 * A text that was accepted, as it is sent. Written without a connection, when nobody knew whom its names mean, it may have
 * become too long: then the names stay as they were typed, and the message isn't lost.
 */
export async function acceptedTextToSend(client: QueryClient, place: NamePlace, typed: string): Promise<string> {
  const text = await textToSend(client, place, typed)
  return [...text].length > LIMITS.messageText ? typed : text
}
