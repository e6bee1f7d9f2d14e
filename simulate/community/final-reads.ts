import type { Member, Message, Room } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { nextText } from '../actors/texts.ts'
import type { Client } from '../actors/client.ts'
import type { Community } from './community.ts'
import type { History } from '../history/history.ts'
import type { Random } from '../random/random.ts'

/** In milliseconds: how long it must be silent before everything counts as delivered, and how long that may take. */
const SILENCE = 12_000
const LONGEST = 180_000
/** In milliseconds: how long it may take until everyone sees who is online. */
const PRESENCE_WITHIN = 60_000

/** A last message in every text room, and then time for everything to arrive. */
export async function settle(community: Community, history: History, random: Random): Promise<void> {
  await community.calm()
  await leaveVoiceRooms(community)
  for (const [position, channelId] of community.channels.entries()) {
    const owner = community.owners[position]
    if (!owner) continue
    for (const room of await roomsOf(owner, channelId)) {
      await owner.call('send', { channelId, roomId: room.id, text: nextText(random) })
    }
  }
  const start = performance.now()
  const isSilent = (): boolean =>
    performance.now() - history.lastArrival >= SILENCE && community.bots.every(({ streams }) => isOver(streams))
  while (!isSilent() && performance.now() - start < LONGEST) await sleep(500)
}

/** What a bot has left unfinished has been interrupted. */
function isOver({ overAt }: { readonly overAt: number }): boolean {
  return performance.now() >= overAt
}

/** Reads what everybody can see, once nobody acts anymore. */
export async function readEverything(community: Community, random: Random): Promise<void> {
  const { people, bots, devices, channels, owners } = community
  for (const { client } of [...people, ...bots, ...devices]) client.isFinal = true
  for (const [position, channelId] of channels.entries()) {
    const owner = owners[position]
    if (!owner) continue
    for (const room of await roomsOf(owner, channelId)) await readRoom(owner, channelId, room.id)
    await owner.call('listRoles', { channelId })
    await readAudit(owner, channelId)
  }
  for (const { client } of [...people, ...devices]) {
    if (client.credentials !== '') await client.call('listReadStates', {})
  }
  await lookForTraces(community, random)
  for (const { client } of people.slice(0, 3)) await client.call('exportData', {})
  await gatherInVoice(community)
  await readPresence(community, random)
}

/** What was written anywhere is looked for by someone who may have no right to see it. */
async function lookForTraces({ people, channels }: Community, random: Random): Promise<void> {
  for (const { client, marks, files } of people) {
    const other = random.pick(people)
    const mark = random.pick(marks)
    const channelId = random.pick(channels)
    if (other && mark !== undefined && channelId !== undefined)
      await other.client.call('search', { channelId, q: mark })
    for (const { path } of files.slice(-4)) await (other ?? { client }).client.call('getFile', { path })
  }
}

/** Everyone leaves, whatever the quota says. */
async function leaveVoiceRooms({ voices, channels }: Community): Promise<void> {
  await Promise.all(
    voices.map(async (client) => {
      for (const channelId of channels) {
        for (const room of await voiceRoomsOf(client, channelId)) {
          const place = { channelId, roomId: room.id }
          const answer = await client.call('leaveVoice', place)
          if (answer?.status !== 429) continue
          await sleep(Number(answer.headers['retry-after'] ?? 1) * 1000)
          await client.call('leaveVoice', place)
        }
      }
    }),
  )
}

/** A few go in again, and everyone sees them for a minute. */
async function gatherInVoice({ people, channels, owners }: Community): Promise<void> {
  for (const [position, { client }] of people.entries()) {
    const channelId = channels[position % channels.length]
    if (position % 8 !== 3 || channelId === undefined) continue
    const [room] = await voiceRoomsOf(client, channelId)
    if (room) await client.call('joinVoice', { channelId, roomId: room.id })
  }
  for (const [position, channelId] of channels.entries()) await owners[position]?.call('listRooms', { channelId })
}

/** Some close the portal; until everyone sees that, or it takes too long. */
async function readPresence(community: Community, random: Random): Promise<void> {
  const leaving = new Set(random.some(community.people, 0.3).map(({ id }) => id))
  community.close((id) => leaving.has(id))
  for (const [position, channelId] of community.channels.entries()) {
    const owner = community.owners[position]
    if (!owner) continue
    const start = performance.now()
    for (;;) {
      const answer = await owner.call('listMembers', { channelId, limit: 1000 })
      const { members } = (answer?.body ?? { members: [] }) as { members: Member[] }
      const isRight = members.every(({ id, online, isBot }) => isBot || online === !leaving.has(id))
      if (isRight || performance.now() - start > PRESENCE_WITHIN) break
      await sleep(1000)
    }
  }
}

async function roomsOf(client: Client, channelId: string): Promise<readonly Room[]> {
  const answer = await client.call('listRooms', { channelId })
  return answer?.status === 200 ? (answer.body as { rooms: Room[] }).rooms : []
}

async function voiceRoomsOf(client: Client, channelId: string): Promise<readonly Room[]> {
  return (await roomsOf(client, channelId)).filter(({ type }) => type === 'voice')
}

/** Page by page, newest first. */
async function readRoom(client: Client, channelId: string, roomId: string): Promise<void> {
  let beforeId: string | undefined
  for (;;) {
    const answer = await client.call('read', { channelId, roomId, limit: 100, ...(beforeId && { beforeId }) })
    if (answer?.status !== 200) return
    const { messages, hasMore } = answer.body as { messages: Message[]; hasMore: boolean }
    beforeId = messages.at(-1)?.id
    if (!hasMore || beforeId === undefined) return
  }
}

async function readAudit(client: Client, channelId: string): Promise<void> {
  let beforeId: string | undefined
  for (;;) {
    const answer = await client.call('listAudit', { channelId, ...(beforeId && { beforeId }) })
    if (answer?.status !== 200) return
    const { entries, hasMore } = answer.body as { entries: { id: string }[]; hasMore: boolean }
    beforeId = entries.at(-1)?.id
    if (!hasMore || beforeId === undefined) return
  }
}
