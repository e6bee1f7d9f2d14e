import type { QueryClient } from '@tanstack/svelte-query'
import { Refused } from '#api.ts'
import { withMentions } from './mentions.ts'
import { namesIn, NO_NAMES, type NamePlace } from './names-in.ts'

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
