import type { Message, Room } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { nextText } from './actors/texts.ts'
import type { Client } from './client.ts'
import type { Community } from './community.ts'
import type { History } from './history.ts'
import type { Random } from './random.ts'

/** In milliseconds: how long it must be silent before everything counts as delivered, and how long that may take. */
const SILENCE = 12_000
const LONGEST = 180_000

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
export async function readEverything(community: Community): Promise<void> {
  const clients = [...community.people.map(({ client }) => client), ...community.bots.map(({ client }) => client)]
  for (const client of clients) client.isFinal = true
  for (const [position, channelId] of community.channels.entries()) {
    const owner = community.owners[position]
    if (!owner) continue
    for (const room of await roomsOf(owner, channelId)) await readRoom(owner, channelId, room.id)
    await owner.call('listRoles', { channelId })
    await owner.call('listMembers', { channelId, limit: 1000 })
    await readAudit(owner, channelId)
  }
  for (const { client } of community.people) await client.call('listReadStates', {})
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
