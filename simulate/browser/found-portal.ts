import type { Application, OwnChannel, Role, Room } from '@portico/contract'
import sharp from 'sharp'
import type { Random } from '../random/random.ts'
import { PortalApi } from './portal-api.ts'

export const PASSWORD = 'correct horse battery staple'

/** Those who have a browser, and others who only write. The owner administers the portal. */
export const VISITORS = ['owner', 'moderator', 'member', 'phone'] as const
export type VisitorName = (typeof VISITORS)[number]

const NAMES: Readonly<Record<VisitorName, string>> = {
  owner: 'Olga Quill',
  moderator: 'Mats Berg',
  member: 'Nadia Rook',
  phone: 'Пётр Лось',
}
const OTHERS = ['Ines Vale', 'Timo Frost', 'Лена Заря', 'Yuki Mori', 'Hugo Stern', 'Zora Blum']
const CHANNELS = ['Lighthouse', 'Orchard', 'Верфь', 'Printing house']
const ROOMS = [
  { name: 'quayside', type: 'text', topic: 'What arrives and what leaves' },
  { name: 'workbench', type: 'text' },
  { name: 'камбуз', type: 'text' },
  { name: 'captains', type: 'text', private: true },
  { name: 'treasury', type: 'text', private: true },
  { name: 'notices', type: 'text', writeRestricted: true },
  { name: 'bridge', type: 'voice' },
  { name: 'engine-room', type: 'voice', userLimit: 2 },
  { name: 'lantern', type: 'stream' },
] as const
/** Of the most written room. More than two pages stay in memory. */
const MOST_MESSAGES = 340
/** Of the other rooms in which everyone writes: more than a page. */
const MANY_MESSAGES = 70
const FEW_MESSAGES = 15

export interface PlacedRoom extends Room {
  readonly channelId: string
}

export interface FoundedPortal {
  readonly people: Readonly<Record<VisitorName, PortalApi>>
  readonly others: readonly PortalApi[]
  readonly channels: readonly OwnChannel[]
  readonly rooms: readonly PlacedRoom[]
  readonly applicationId: string
  readonly invitation: string
}

export interface FoundingOptions {
  /** Where the program listens, past everything that disturbs browsers. */
  readonly url: string
  /** The public address. */
  readonly origin: string
  readonly setUpCode: string
  readonly random: Random
}

/** Sets up a portal as it looks after some weeks of use: several channels, private rooms, nicknames, hundreds of messages. */
export async function foundPortal({ url, origin, setUpCode, random }: FoundingOptions): Promise<FoundedPortal> {
  const enter = async (name: string): Promise<PortalApi> => {
    const person = new PortalApi(name, url, origin)
    const path = name === NAMES.owner ? '/set-up' : '/accounts'
    const body = { name, password: PASSWORD, ...(path === '/set-up' && { code: setUpCode }) }
    const { account } = await person.post<{ account: { id: string } }>(path, body)
    person.id = account.id
    person.password = PASSWORD
    return person
  }
  const owner = await enter(NAMES.owner)
  const people = {
    owner,
    moderator: await enter(NAMES.moderator),
    member: await enter(NAMES.member),
    phone: await enter(NAMES.phone),
  }
  await people.phone.must('PATCH', '/account', { locale: 'ru', theme: 'dark' })
  const others: PortalApi[] = []
  for (const name of OTHERS) others.push(await enter(name))

  const channels: OwnChannel[] = []
  const rooms: PlacedRoom[] = []
  for (const name of CHANNELS) {
    const channel = await owner.post<OwnChannel>('/channels', { name, open: true, description: `${name} and around` })
    channels.push(channel)
    for (const person of [people.moderator, people.member, people.phone, ...others]) {
      await person.post(`/channels/${channel.id}/join`)
    }
    rooms.push(...(await foundRooms(owner, people, channel)))
  }
  const [first] = channels
  if (!first) throw new Error('There is no channel')
  const { code } = await owner.post<{ code: string }>(`/channels/${first.id}/invitations`, {})
  const applicationId = await foundBot(owner, first.id, origin)
  await talk({ people, others, rooms, random })
  return { people, others, channels, rooms, applicationId, invitation: code }
}

async function foundRooms(
  owner: PortalApi,
  people: Readonly<Record<VisitorName, PortalApi>>,
  channel: OwnChannel,
): Promise<PlacedRoom[]> {
  const at = `/channels/${channel.id}`
  const work = await owner.post<{ id: string }>(`${at}/categories`, { name: 'Work' })
  const { roles } = await owner.get<{ roles: Role[] }>(`${at}/roles`)
  const moderator = roles.find(({ systemName }) => systemName === 'CHANNEL_MODERATOR')
  if (!moderator) throw new Error('There is no role for moderators')
  const crew = await owner.post<Role>(`${at}/roles`, { name: 'Night crew', rights: ['pin_text_msg'], color: 'teal' })
  await owner.must('PUT', `${at}/members/${people.moderator.id}/roles`, { roleIds: [moderator.id] })
  await people.member.must('PUT', `${at}/members/${people.member.id}/nickname`, {
    nickname: `Nadia of ${channel.name}`,
  })
  const founded: PlacedRoom[] = []
  for (const [index, room] of ROOMS.entries()) {
    // Names differ between channels, so that whatever remains of a room is recognized.
    const name = `${room.name}-${channel.name.toLowerCase().slice(0, 4)}`
    const made = await owner.post<Room>(`${at}/rooms`, {
      ...room,
      name,
      ...(index % 2 === 1 && { categoryId: work.id }),
    })
    founded.push({ ...made, channelId: channel.id })
    if ('private' in room) {
      const memberIds = [
        owner.id,
        people.moderator.id,
        ...(room.name === 'captains' ? [people.member.id, people.phone.id] : []),
      ]
      await owner.must('PUT', `${at}/rooms/${made.id}/admissions`, { roleIds: [crew.id], memberIds })
    }
  }
  return founded
}

async function foundBot(owner: PortalApi, channelId: string, origin: string): Promise<string> {
  const application = await owner.post<Application>('/applications', { name: 'Tidebook' })
  const scopes = ['channel:read', 'messages:read', 'messages:write', 'commands', 'events', 'moderation', 'voice']
  const { key } = await owner.must<{ key: string }>('PUT', `/applications/${application.id}/key`, { scopes })
  await owner.must('PUT', `/channels/${channelId}/applications/${application.id}`, {})
  const commands = [
    { name: '/tide', description: 'Shows the tide', usage: 'harbor' },
    { name: '/moon', description: 'Shows the phase of the moon' },
    { name: '/shift', description: 'Says whose shift it is', usage: 'day' },
  ]
  const answer = await fetch(`${origin}/api/v1/commands`, {
    method: 'PUT',
    headers: { authorization: `Bot ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ commands }),
  })
  if (!answer.ok) throw new Error(`The bot could not declare its commands: ${answer.status}`)
  return application.id
}

const REMARKS = [
  'Good **morning**, the fog is gone',
  'Who has the key of the shed?',
  '```js\nconst tide = await harbor.tide()\n```',
  'A list:\n- ropes\n- lamps\n- tea',
  '> said yesterday\n\nand still true',
  'Сегодня `штиль`, завтра ветер',
  'See https://example.org/charts for the charts',
  '||the parcel is for you||',
  '🎉🎉',
]

type Talk = Pick<FoundedPortal, 'people' | 'others' | 'rooms'> & { readonly random: Random }

async function talk({ rooms, random, ...talk }: Talk): Promise<void> {
  const picture = await samplePicture()
  await Promise.all(rooms.map((room) => talkIn(room, picture, { ...talk, rooms, random: random.of(room.name) })))
}

async function talkIn(
  room: PlacedRoom,
  picture: Uint8Array<ArrayBuffer>,
  { people, others, rooms, random }: Talk,
): Promise<void> {
  const { channelId } = room
  const isTalkative = room === rooms.find(({ type }) => type === 'text')
  const everyone = [people.owner, people.moderator, people.member, people.phone, ...others]
  const able = room.private || room.writeRestricted ? [people.owner] : everyone
  const isOpen = room.type === 'text' && !room.private && !room.writeRestricted
  const count = room.type === 'voice' ? 3 : isTalkative ? MOST_MESSAGES : isOpen ? MANY_MESSAGES : FEW_MESSAGES
  let last = ''
  for (let number = 0; number < count; number += 1) {
    const writer = random.pick(able) ?? people.owner
    const mention = random.chance(0.05) ? `<@${people.member.id}> ` : ''
    const files = random.chance(0.03) && room.type === 'text' ? await upload(writer, room, picture) : ''
    const text = `${mention}${random.pick(REMARKS) ?? ''} ${markOf(room.id)}x${number}${files}`
    const answered = last !== '' && random.chance(0.1) ? { replyToId: last } : {}
    const { id } = await writer.post<{ id: string }>(`/rooms/${room.id}/messages`, { channelId, text, ...answered })
    last = id
    const at = `/rooms/${room.id}/messages/${id}`
    const emoji = random.pick(['👍', '🎉', '🐟']) ?? '👍'
    if (random.chance(0.1)) await people.owner.post(`${at}/reactions`, { channelId, emoji })
    if (number % 40 === 20) await people.owner.post(`${at}/pin`, { channelId })
  }
}

/** A mark in every message that was there from the beginning, by which the messages of a room are recognized. */
export function markOf(roomId: string): string {
  return `mark${roomId.slice(-8)}`
}

async function upload(writer: PortalApi, room: PlacedRoom, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const path = `/rooms/${room.id}/files?${new URLSearchParams({ channelId: room.channelId, name: 'chart.png' }).toString()}`
  const { markdown } = await writer.must<{ markdown: string }>('POST', path, undefined, bytes)
  return `\n${markdown}`
}

/** A picture to upload. */
export async function samplePicture(): Promise<Uint8Array<ArrayBuffer>> {
  const create = { width: 320, height: 200, channels: 3 as const, background: { r: 20, g: 90, b: 120 } }
  return new Uint8Array(await sharp({ create }).png().toBuffer())
}
