import type { OwnChannel, Role, Room, VoiceSession } from '@portico/contract'
import { freePort } from '../../server/test/free-port.ts'
import { insertMembers, insertPeople, insertSessions } from '../api/people.ts'
import { PortalClient } from '../api/portal-client.ts'
import { connectTo } from '../api/seed.ts'
import { startPortico, type Portico } from '../api/start-portico.ts'
import type { RoomAddress } from './room-client.ts'

export const METRICS_TOKEN = 'a token of the benchmark'

/** A portal with media, and a channel with people who are signed in. */
export interface Town {
  readonly portico: Portico
  readonly channelId: string
  readonly owner: PortalClient
  readonly people: readonly Person[]
  createRoom(type: 'text' | 'voice' | 'stream'): Promise<string>
  /** Joins as the portal's page does, up to the connection with the media server. */
  join(person: PortalClient, roomId: string): Promise<RoomAddress>
}

export interface Person {
  readonly id: string
  readonly portal: PortalClient
}

export async function startTown(size: number, onOutput?: (text: string) => void): Promise<Town> {
  const mediaPort = await freePort()
  const settings = { MEDIA_PORT: String(mediaPort), MEDIA_ADDRESS: '127.0.0.1', METRICS_TOKEN }
  const portico = await startPortico({ profileTo: undefined, settings, ...(onOutput && { onOutput }) })
  const { port, setUpCode, dataFolder } = portico
  const owner = new PortalClient(port)
  await owner.call('POST', '/set-up', { code: setUpCode, name: 'Operator', password: 'correct horse battery' })
  const { id: channelId } = await owner.call<OwnChannel>('POST', '/channels', { name: 'Town' })
  const { roles } = await owner.call<{ roles: Role[] }>('GET', `/channels/${channelId}/roles`)
  const role = roles.find(({ systemName }) => systemName === 'CHANNEL_MEMBER')
  const client = await connectTo(dataFolder)
  const ids = await insertPeople(client, size)
  await insertMembers(client, { channelId }, role?.id ?? '', ids)
  const cookies = await insertSessions(client, ids)
  await client.end()
  return {
    portico,
    channelId,
    owner,
    people: ids.map((id, index) => ({ id, portal: new PortalClient(port, cookies[index]) })),
    createRoom: async (type) =>
      (await owner.call<Room>('POST', `/channels/${channelId}/rooms`, { name: `${type} room`, type })).id,
    async join(person, roomId) {
      const { token } = await person.call<VoiceSession>('POST', `/rooms/${roomId}/voice`, { channelId })
      return { url: `ws://127.0.0.1:${port}`, token, mediaPort }
    },
  }
}
