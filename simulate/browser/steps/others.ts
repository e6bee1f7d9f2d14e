import type { Room } from '@portico/contract'
import { markOf, type PlacedRoom } from '../found-portal.ts'
import type { Random } from '../../random/random.ts'
import type { Scene, Step } from './step.ts'

/** What others do meanwhile, past the browsers: they write, edit and delete, and change rooms and members that are looked at. */
export const othersAct: Step = {
  name: 'others act',
  weight: 16,
  run: async ({ random }, scene) => {
    const act = random.weighted({
      writeSomething: 6,
      changeMessage: 6,
      changeRoom: 5,
      addRoom: 1.5,
      moderate: 1.5,
      rename: 0.7,
    })
    return `${act}: ${await ACTS[act](scene, random)}`
  },
}

const ACTS = { writeSomething, changeMessage, changeRoom, addRoom, moderate, rename }
let written = 0

/** A room that someone has open, or any. */
function openRoom({ visitors, portal, added }: Scene, random: Random): PlacedRoom | undefined {
  const all = [...portal.rooms, ...added]
  // The owner of the channels sees every room whatever happens to it.
  const ids = new Set(visitors.flatMap(({ name, place }) => (name === 'owner' ? [] : (place?.roomId ?? []))))
  const open = all.filter(({ id }) => ids.has(id))
  return random.pick(random.chance(0.7) && open.length > 0 ? open : all)
}

async function writeSomething({ portal, ...scene }: Scene, random: Random): Promise<string> {
  const room = openRoom({ portal, ...scene }, random)
  if (!room) return 'no room'
  const writer =
    room.private || room.writeRestricted ? portal.people.owner : (random.pick(portal.others) ?? portal.people.owner)
  const person = random.pick(Object.values(portal.people))
  const mention = random.chance(0.2) && person ? `<@${person.id}> ` : random.chance(0.03) ? '@everyone ' : ''
  const count = random.chance(0.1) ? 12 : 1
  for (let number = 0; number < count; number += 1) {
    written += 1
    const text = `${mention}news ${markOf(room.id)}x9${written} zqx${written}z`
    await writer.call('POST', `/rooms/${room.id}/messages`, { channelId: room.channelId, text })
  }
  return `${count} in ${room.name}`
}

async function changeMessage(scene: Scene, random: Random): Promise<string> {
  const room = openRoom(scene, random)
  return room ? changeMessageIn(room, scene, random) : 'no room'
}

/** Changes a message in each room that someone is looking at. */
export async function changeWhatIsShown(scene: Scene, random: Random): Promise<void> {
  const shown = new Set(scene.visitors.flatMap(({ place }) => place?.roomId ?? []))
  for (const room of [...scene.portal.rooms, ...scene.added]) {
    if (shown.has(room.id)) await changeMessageIn(room, scene, random)
  }
}

async function changeMessageIn(room: PlacedRoom, { portal }: Scene, random: Random): Promise<string> {
  const { owner } = portal.people
  const history = await owner.call<{ messages: { id: string; author: { id: string } }[] }>(
    'GET',
    `/rooms/${room.id}/history?limit=12`,
  )
  const message = history.status < 300 ? random.pick(history.body.messages) : undefined
  if (!message) return `nothing in ${room.name}`
  const at = `/rooms/${room.id}/messages/${message.id}`
  const { channelId } = room
  const way = random.weighted({ delete: 5, react: 4, pin: 2, edit: 4 })
  if (way === 'delete') await owner.call('DELETE', at, { channelId })
  else if (way === 'pin') await owner.call('POST', `${at}/pin`, { channelId })
  else if (way === 'react') {
    for (const person of random.some(portal.others, 0.5)) {
      await person.call('POST', `${at}/reactions`, { channelId, emoji: random.pick(['👍', '🐟', '🎉']) ?? '👍' })
    }
  } else {
    const author = [...portal.others, ...Object.values(portal.people)].find(({ id }) => id === message.author.id)
    written += 1
    await author?.call('PATCH', at, { channelId, text: `changed ${markOf(room.id)}x8${written} zqx${written}z` })
  }
  return `${way} in ${room.name}`
}

/** Hides, shows, renames and deletes rooms that are looked at. Those of the beginning stay. */
async function changeRoom(scene: Scene, random: Random): Promise<string> {
  const { portal, added, names } = scene
  const { owner } = portal.people
  const room = (random.chance(0.3) ? random.pick(added) : undefined) ?? openRoom(scene, random)
  if (!room) return 'no room'
  const at = `/channels/${room.channelId}/rooms/${room.id}`
  const way = random.weighted({
    hide: 6,
    show: 2,
    restrict: 1,
    rename: 1,
    delete: added.includes(room) ? 5 : 0,
    override: 1,
  })
  if (way === 'delete') {
    await owner.call('DELETE', at)
    added.splice(added.indexOf(room), 1)
  } else if (way === 'rename') {
    const name = `${room.name.slice(0, 20)}-${random.integer(90) + 10}`
    const { status } = await owner.call('PATCH', at, { name })
    if (status < 300) names.set(room.id, name)
  } else if (way === 'override') {
    const { body } = await owner.call<{ roles: { id: string; systemName: string }[] }>(
      'GET',
      `/channels/${room.channelId}/roles`,
    )
    const role = body.roles.find(({ systemName }) => systemName === 'CHANNEL_MEMBER')
    const deny = random.some(['write_text_room', 'react_text_msg', 'read_text_room'], 0.4)
    if (role) await owner.call('PUT', `${at}/overrides/${role.id}`, { allow: [], deny })
  } else {
    const change = {
      hide: { private: true },
      show: { private: false },
      restrict: { writeRestricted: random.chance(0.5) },
    }[way]
    await owner.call('PATCH', at, change)
  }
  return `${way} ${room.name}`
}

async function addRoom({ portal, added, names }: Scene, random: Random): Promise<string> {
  const channel = random.pick(portal.channels)
  if (!channel) return 'no channel'
  const type = random.pick(['text', 'text', 'voice', 'stream'] as const) ?? 'text'
  const name = `annex-${names.size}-${random.integer(1000)}`
  const { status, body } = await portal.people.owner.call<Room>('POST', `/channels/${channel.id}/rooms`, { name, type })
  if (status >= 300) return `refused: ${status}`
  added.push({ ...body, channelId: channel.id })
  names.set(body.id, name)
  return name
}

async function moderate({ portal }: Scene, random: Random): Promise<string> {
  const { people, channels } = portal
  const { owner } = people
  const [person, channel] = [random.pick([people.member, people.phone, people.moderator]), random.pick(channels)]
  if (!person || !channel) return 'nobody'
  const at = `/channels/${channel.id}/members/${person.id}`
  const way = random.weighted({ mute: 4, unmute: 3, voiceMute: 1, kick: 1, nickname: 2, ban: 0.5, rejoin: 3 })
  if (way === 'mute') await owner.call('PUT', `${at}/chat-mute`, { durationSec: 5 + random.integer(40) })
  else if (way === 'unmute') await owner.call('DELETE', `${at}/chat-mute`, {})
  else if (way === 'voiceMute') await owner.call('PUT', `${at}/voice-mute`, { durationSec: 20 })
  else if (way === 'nickname')
    await owner.call('PUT', `${at}/nickname`, { nickname: random.pick([null, 'Skipper', 'Боцман']) })
  else if (way === 'kick') await owner.call('DELETE', at, {})
  else if (way === 'ban') await owner.call('PUT', `${at}/ban`, {})
  else await comeBack(portal)
  return `${way} ${person.name} in ${channel.name}`
}

/** Everyone is a member everywhere again, nobody is banned, and rooms that were hidden can be seen. */
export async function comeBack({ people, channels, rooms }: Scene['portal']): Promise<void> {
  const usuallyOpen = new Set(rooms.flatMap((room) => (room.private ? [] : room.id)))
  for (const { id } of channels) {
    for (const person of [people.moderator, people.member, people.phone]) {
      await people.owner.call('DELETE', `/channels/${id}/bans/${person.id}`)
      await person.call('POST', `/channels/${id}/join`)
    }
    const { rooms: now } = await people.owner.get<{ rooms: Room[] }>(`/channels/${id}/rooms`)
    for (const room of now.filter((one) => one.private && usuallyOpen.has(one.id))) {
      await people.owner.call('PATCH', `/channels/${id}/rooms/${room.id}`, { private: false })
    }
  }
}

async function rename({ portal, names }: Scene, random: Random): Promise<string> {
  const channel = random.pick(portal.channels)
  if (!channel) return 'no channel'
  const order = random.chance(0.5)
  if (order) {
    const rooms = [...names.keys()].filter(() => random.chance(0.3)).map((id) => ({ id }))
    await portal.people.owner.call('PUT', `/channels/${channel.id}/order`, { rooms })
    return `order of ${channel.name}`
  }
  await portal.people.owner.call('PATCH', `/channels/${channel.id}`, { description: `Number ${random.integer(100)}` })
  return channel.name
}
