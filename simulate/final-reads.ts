import type { Member, Message, Room } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { nextText } from './actors/texts.ts'
import type { Client } from './client.ts'
import type { Community } from './community.ts'
import type { History } from './history.ts'
import type { Random } from './random.ts'

/** In milliseconds: how long it must be silent before everything counts as delivered, and how long that may take. */
const SILENCE = 12_000
const LONGEST = 180_000
/** In milliseconds: how long it may take until everyone sees who is online. */
const PRESENCE_WITHIN = 60_000

/** A last message in every text room, and then time for everything to arrive. */
export async function settle(community: Community, history: History, random: Random): Promise<void> {
  for (const receiver of community.receivers) receiver.calm()
  for (const [position, channelId] of community.channels.entries()) {
    const owner = community.owners[position]
    if (!owner) continue
    for (const room of await roomsOf(owner, channelId)) {
      await owner.call('send', { channelId, roomId: room.id, text: nextText(random) })
    }
  }
  const start = performance.now()
  while (performance.now() - history.lastArrival < SILENCE && performance.now() - start < LONGEST) await sleep(500)
}

/** Reads what everybody can see, once nobody acts anymore. */
export async function readEverything(community: Community, random: Random): Promise<void> {
  const { people, bots, channels, owners } = community
  for (const { client } of [...people, ...bots]) client.isFinal = true
  await gatherInVoice(community)
  for (const [position, channelId] of channels.entries()) {
    const owner = owners[position]
    if (!owner) continue
    for (const room of await roomsOf(owner, channelId)) await readRoom(owner, channelId, room.id)
    await owner.call('listRoles', { channelId })
    await readAudit(owner, channelId)
  }
  for (const { client } of people) await client.call('listReadStates', {})
  for (const { client, marks, files } of people) {
    // What was written anywhere, looked for by someone who may have no right to see it.
    const other = random.pick(people)
    const mark = random.pick(marks)
    const channelId = random.pick(channels)
    if (other && mark !== undefined && channelId !== undefined)
      await other.client.call('search', { channelId, q: mark })
    for (const path of files.slice(-2)) await (other ?? { client }).client.call('getFile', { path })
  }
  for (const { client } of people.slice(0, 3)) await client.call('exportData', {})
  await readPresence(community, random)
}

/** Everyone leaves the voice rooms, and a few go in again. */
async function gatherInVoice({ people, bots, channels }: Community): Promise<void> {
  for (const [position, { client }] of [...people, ...bots].entries()) {
    for (const channelId of channels) {
      for (const room of (await roomsOf(client, channelId)).filter(({ type }) => type === 'voice')) {
        await client.call('leaveVoice', { channelId, roomId: room.id })
      }
    }
    const channelId = channels[position % channels.length]
    const voice =
      channelId === undefined ? undefined : (await roomsOf(client, channelId)).find(({ type }) => type === 'voice')
    if (position % 8 === 3 && voice && channelId !== undefined)
      await client.call('joinVoice', { channelId, roomId: voice.id })
  }
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
