import {
  SCOPES,
  STREAM_LIMITS,
  type Application,
  type Message,
  type OwnChannel,
  type Role,
  type Room,
} from '@portico/contract'
import { insertMembers, insertPeople, insertSessions } from '../api/people.ts'
import { PortalClient } from '../api/portal-client.ts'
import { connectTo } from '../api/seed.ts'
import type { Portico } from '../api/start-portico.ts'

/** A message that a bot writes. */
export interface WrittenMessage {
  readonly key: string
  readonly channelId: string
  readonly roomId: string
  readonly messageId: string
  readonly position: number
}

export interface Seeded {
  readonly messages: readonly WrittenMessage[]
  /** Each shows one of the rooms. */
  readonly portals: readonly { readonly cookie: string; readonly roomId: string }[]
}

const TEXT = 'The answer is'

/** A room for each message, all in one channel, and people who have one of the rooms open. */
export async function seed(
  { port, setUpCode, dataFolder }: Portico,
  { streams, portals }: { readonly streams: number; readonly portals: number },
): Promise<Seeded> {
  const portal = new PortalClient(port)
  await portal.call('POST', '/set-up', { code: setUpCode, name: 'Operator', password: 'correct horse battery' })
  const { id: channelId } = await portal.call<OwnChannel>('POST', '/channels', { name: 'Oracle', open: true })
  const messages: WrittenMessage[] = []
  while (messages.length < streams) {
    const key = await install(portal, channelId, messages.length)
    for (let count = 0; count < STREAM_LIMITS.atOnce && messages.length < streams; count += 1) {
      const room = { name: `room-${messages.length}`, type: 'text' }
      const { id: roomId } = await portal.call<Room>('POST', `/channels/${channelId}/rooms`, room)
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/rooms/${roomId}/messages/streams`, {
        method: 'POST',
        headers: { authorization: `Bot ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ channelId, text: TEXT }),
      })
      if (answer.status !== 201) throw new Error(await answer.text())
      const { id: messageId } = (await answer.json()) as Message
      messages.push({ key, channelId, roomId, messageId, position: TEXT.length })
    }
  }
  const { roles } = await portal.call<{ roles: Role[] }>('GET', `/channels/${channelId}/roles`)
  const member = roles.find(({ systemName }) => systemName === 'CHANNEL_MEMBER')?.id ?? ''
  const client = await connectTo(dataFolder)
  try {
    const ids = await insertPeople(client, portals)
    await insertMembers(client, { channelId }, member, ids)
    const cookies = await insertSessions(client, ids)
    await client.query('VACUUM ANALYZE')
    return {
      messages,
      portals: cookies.map((cookie, at) => ({ cookie, roomId: messages[at % messages.length]?.roomId ?? '' })),
    }
  } finally {
    await client.end()
  }
}

/** Returns the key of the application. */
async function install(portal: PortalClient, channelId: string, number: number): Promise<string> {
  const { id } = await portal.call<Application>('POST', '/applications', { name: `Thinker ${number}` })
  await portal.call('PUT', `/channels/${channelId}/applications/${id}`)
  const { key } = await portal.call<{ key: string }>('PUT', `/applications/${id}/key`, { scopes: Object.keys(SCOPES) })
  return key
}
