import type { MemberDetails } from '@portico/contract'
import { LIMITS } from '@portico/contract/limits'
import { GROUPS } from '@portico/contract/mentions'
import type { QueryClient } from '@tanstack/svelte-query'
import { Unreachable } from '#api/api.ts'
import type { Emoji } from '#emoji/emoji-data.ts'
import { displayName } from '#members/display-name.ts'
import { memberSearchQuery } from '#members/member-search-queries.ts'
import { roomPermissionsQuery } from '#roles/room-permissions-query.ts'
import { roomsQuery } from '#rooms/room-queries.ts'
import { emojiQuery } from '#emoji/emoji-query.ts'
import { chosenSkinTone, withSkinTone } from '#emoji/skin-tone.ts'
import { byName, outsideCode, type Named, type Names } from './mentions.ts'

/** The most people that are looked up for one message. */
const MAX_LOOKUPS = 20
/** Members per lookup: as many as the server returns. */
const FOUND = 100
/** A name after @, which may contain spaces, and what follows it. */
const AFTER_AT = new RegExp(`(?<![\\p{L}\\p{N}_[/<])@([^\\s@][^\\n@]{0,${LIMITS.nickname.max - 1}})`, 'gu')
const GROUP = new RegExp(`@(?:${GROUPS.join('|')})`, 'iu')
const ROOM = /(?<![\p{L}\p{N}_[/])#\S/u
const EMOJI_CODE = /:[\p{L}\p{N}_+-]{2,64}:/u

/** Where a message is written. Without a room, as in an edit, which notifies no one, groups such as `@everyone` are plain text. */
export interface NamePlace {
  readonly channelId: string
  readonly roomId?: string
}

/**
 * Whom and what the names in a text stand for, whether they were typed or chosen. A name that several members share
 * stands for none of them. Fails if the server can't be reached.
 */
export async function namesIn(client: QueryClient, place: NamePlace, text: string): Promise<Names> {
  const { channelId } = place
  const words = withoutCode(text)
  const [groups, members, rooms, emoji] = await Promise.all([
    GROUP.test(words) ? groupsIn(client, place) : [],
    membersNamedIn(client, channelId, words),
    ROOM.test(words) ? client.fetchQuery(roomsQuery(channelId)).then((answer) => answer.rooms) : [],
    EMOJI_CODE.test(words) ? loadEmoji(client) : [],
  ])
  return {
    members: new Map([...members, ...byName(groups)]),
    rooms: byName(rooms.map(({ id, name }) => ({ id, name }))),
    emoji: byCode(emoji),
  }
}

/** The groups that the account may notify. */
async function groupsIn(client: QueryClient, { channelId, roomId }: NamePlace): Promise<readonly Named[]> {
  if (roomId === undefined) return []
  const { rights } = await client.fetchQuery(roomPermissionsQuery({ channelId, roomId }))
  return rights.includes('mention_everyone') ? GROUPS.map((group) => ({ id: group, name: group })) : []
}

function byCode(list: readonly Emoji[]): ReadonlyMap<string, string> {
  const tone = chosenSkinTone()
  return new Map(
    list.flatMap(({ emoji, names }) => names.map((name) => [name.toLowerCase(), withSkinTone(emoji, tone)] as const)),
  )
}

async function loadEmoji(client: QueryClient): Promise<readonly Emoji[]> {
  return client.fetchQuery(emojiQuery).catch((cause: unknown) => {
    throw new Unreachable('The emoji could not be loaded', { cause })
  })
}

async function membersNamedIn(
  client: QueryClient,
  channelId: string,
  words: string,
): Promise<ReadonlyMap<string, Named>> {
  const typed = Array.from(words.matchAll(AFTER_AT), ([, after = '']) => after)
  const searches = new Map(typed.map((after) => [searchesFor(after)[0] ?? '', after]))
  const found = await Promise.all(
    [...searches].slice(0, MAX_LOOKUPS).map(([first, after]) => search(client, channelId, first, after)),
  )
  const members = new Map(found.flat().map((member) => [member.id, member]))
  return byUniqueName([...members.values()])
}

/** A short first word may fit more members than are returned; more words narrow it down. */
async function search(
  client: QueryClient,
  channelId: string,
  first: string,
  after: string,
): Promise<readonly MemberDetails[]> {
  if (first === '') return []
  const { members, hasMore } = await client.fetchQuery(memberSearchQuery(channelId, { text: first, limit: FOUND }))
  if (!hasMore) return members
  const narrower = searchesFor(after).slice(1)
  const more = await Promise.all(
    narrower.map((text) => client.fetchQuery(memberSearchQuery(channelId, { text, limit: FOUND }))),
  )
  return [...members, ...more.flatMap((answer) => answer.members)]
}

/** What to search for, widest first: up to the first punctuation mark, one word, two words. */
function searchesFor(after: string): string[] {
  const [beginning = ''] = /^[^\s,;:!?()'"’»]*/u.exec(after) ?? []
  const words = after.split(/\s+/u)
  const searches = [beginning, words[0] ?? '', words.slice(0, 2).join(' ')]
  return [...new Set(searches.map((text) => text.replace(/\.+$/u, '')).filter((text) => text !== ''))]
}

/** Displayed names come first: the names of accounts with a nickname are visible only in profiles. */
function byUniqueName(members: readonly MemberDetails[]): ReadonlyMap<string, Named> {
  const shown = members.map((member) => ({ id: member.id, name: displayName(member) }))
  const hidden = members.filter(({ channelNickname }) => channelNickname !== null)
  const names = byName(hidden.map(({ id, name }) => ({ id, name })))
  for (const [spelling, named] of byName(shown)) names.set(spelling, named)
  const times = Map.groupBy(shown, ({ name }) => name.toLowerCase())
  for (const [spelling, same] of times) if (same.length > 1) names.delete(spelling)
  return names
}

function withoutCode(text: string): string {
  let words = ''
  outsideCode(text, (part) => {
    words += ` ${part}`
    return part
  })
  return words
}
