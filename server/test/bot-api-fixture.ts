import { LIMITS, type Operation, type RoomType } from '@portico/contract'
import { optionRequestId } from '../src/commands/option-request-id.ts'
import { newId } from '../src/operations/ids.ts'
import type { Bot } from './bot.ts'
import { operationOf } from './expect-shape.ts'
import type { Answer } from './person.ts'
import { channelFixture } from './channel-fixture.ts'

/** Values of request fields. */
export type Values = Record<string, unknown>

/**
 * A channel in which every route of the bot API can succeed. What a call consumes (a message, a member) is recreated by
 * `prepare`.
 */
export async function botApiFixture() {
  const made = await channelFixture({ bots: 2 })
  const { server, owner, channel, room, newRoom, give, install, bots } = made
  const [bot, victim] = bots
  await give(bot, 'CHANNEL_ADMIN')
  const rooms: Record<RoomType, string> = {
    text: room.id,
    voice: (await newRoom('voice')).id,
    stream: (await newRoom('stream')).id,
  }
  const otherVoice = (await newRoom('voice')).id

  const messageOf = async (author: { readonly id: string }, roomId = rooms.text): Promise<string> => {
    const id = newId()
    await server.services.database.kysely
      .insertInto('messages')
      .values({ id, channel_id: channel.id, room_id: roomId, author_id: author.id, text: 'A line', created_at: now() })
      .execute()
    return id
  }

  /** A message that the bot is writing, also beyond the limit. */
  const streamOf = async (author: { readonly id: string } = bot): Promise<string> => {
    const id = await messageOf(author)
    const { kysely } = server.services.database
    const place = { channel_id: channel.id, room_id: rooms.text, bot_id: author.id }
    await kysely.updateTable('messages').set({ streaming: 'writing' }).where('id', '=', id).execute()
    await kysely
      .insertInto('message_streams')
      .values({ message_id: id, ...place, text: 'A line', length: 6, published: 6 })
      .execute()
    return id
  }

  /** Puts a member into a voice room, regardless of their rights. */
  const enter = async (member: { readonly id: string }, roomId: string): Promise<void> => {
    await server.services.database.kysely
      .insertInto('voice_sessions')
      .values({ channel_id: channel.id, account_id: member.id, room_id: roomId })
      .onConflict((conflict) => conflict.columns(['channel_id', 'account_id']).doUpdateSet({ room_id: roomId }))
      .execute()
  }

  /** Creates everything that the operation needs, and returns values with which it succeeds. */
  const prepare = async (operation: Operation): Promise<Values> => {
    const [type = 'voice'] = operation.access?.room ?? []
    if ('userId' in operation.input.properties) {
      await install(victim)
      await enter(victim, otherVoice)
    }
    const author = operation.judges === 'delete_text_msg_any' ? victim : bot
    const isWriting = /\/(append|finish)$/.test(operation.at)
    const ofMessage = isWriting ? streamOf : messageOf
    const messageId = 'messageId' in operation.input.properties ? await ofMessage(author) : newId()
    if (operation.at.endsWith('/streams')) {
      await server.services.database.kysely.deleteFrom('message_streams').where('bot_id', '=', bot.id).execute()
    }
    // Bots see no notices.
    const userId = operation.at.endsWith('/notices') ? owner.id : victim.id
    const asked = { channelId: channel.id, userId: owner.id, at: Date.now() + 3_600_000 }
    const requestId = optionRequestId(server.services.secret, bot.id, asked)
    return { ...VALUES, channelId: channel.id, roomId: rooms[type], userId, messageId, requestId }
  }

  /** Calls an operation with valid values, except for the ones given here. */
  const call = async (name: string, other: Values = {}, by: Bot = bot): Promise<Answer> => {
    const operation = operationOf(name)
    return send(by, operation, { ...(await prepare(operation)), ...other })
  }

  return { ...made, bot, victim, rooms, otherVoice, messageOf, streamOf, enter, prepare, call }
}

const VALUES: Values = {
  text: 'Hello',
  position: 6,
  emoji: '👍',
  commands: [],
  suggestions: [],
  limit: LIMITS.historyPage,
  url: 'https://localhost/',
  name: 'notes.txt',
}

/** Sends an operation's request with its required fields. */
export function send(bot: Bot, operation: Operation, values: Values): Promise<Answer> {
  const { method, path, body } = requestOf(operation, values)
  return bot.request(method, path, body)
}

/** An operation's request with its required fields, and optional ones by name. */
export function requestOf(
  operation: Operation,
  values: Values,
  also: readonly string[] = [],
): { method: string; path: string; body?: object | Uint8Array<ArrayBuffer> } {
  const [method = '', at = ''] = operation.at.split(' ')
  const needed = new Set([...(operation.input.required ?? []), ...also])
  const path = at.replaceAll(/:(\w+)/g, (_all, name: string) => {
    needed.delete(name)
    return encodeURIComponent(asText(values[name]))
  })
  const rest = [...needed].map((name) => [name, values[name]] as const)
  if (rest.length === 0) return { method, path }
  if (method !== 'GET' && !operation.takes) return { method, path, body: Object.fromEntries(rest) }
  const query = new URLSearchParams(Object.fromEntries(rest.map(([name, value]) => [name, asText(value)])))
  return { method, path: `${path}?${query.toString()}`, ...(operation.takes && { body: new Uint8Array([72, 105]) }) }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? '')
}

function now(): string {
  return new Date().toISOString()
}
