import {
  parseOptions,
  splitCommand,
  type CommandOption,
  type InvokedCommand,
  type ResolveReference,
} from '@portico/contract'
import { sql } from 'kysely'
import type { ForBots } from '../events/read-settled.ts'
import { memberOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { isSeenBy } from '../operations/is-seen-by.ts'
import type { Tx } from '../operations/transaction.ts'

interface Invoked {
  readonly botId: string
  readonly name: string
  readonly options: readonly CommandOption[]
}

/** What the bots whose command a message is receive in addition. Null if it is no command with options. */
export async function invokedCommands(tx: Tx, room: RoomPlace, text: string): Promise<ForBots | null> {
  const line = room.roomType === 'text' ? splitCommand(text) : undefined
  if (!line) return null
  const invoked = await findCommands(tx, room, line.name)
  if (invoked.length === 0) return null

  const references = await readReferences(tx, room, line.rest, invoked)
  const commands = invoked.map(({ botId, name, options }): [string, { command: InvokedCommand }] => {
    const parsed = parseOptions(line.rest, options, references.of(botId))
    const errors = [...parsed.errors]
    return [botId, { command: { name, options: parsed.options, ...(errors.length > 0 && { errors }) } }]
  })
  return Object.fromEntries(commands)
}

/** Names are compared here: what the database takes for the same letter depends on its locale. */
async function findCommands(tx: Tx, { channelId }: RoomPlace, name: string): Promise<Invoked[]> {
  const { rows } = await sql<{ botId: string; applicationId: string; name: string; position: number }>`
    SELECT p.bot_id AS "botId", p.id AS "applicationId", c.name, c.position
    FROM members m JOIN applications p ON p.bot_id = m.account_id JOIN commands c ON c.application_id = p.id
    WHERE m.channel_id = ${channelId}::uuid AND m.is_bot AND c.options IS NOT NULL
      AND m.account_id <> ${memberOf(tx.actor).id}::uuid`.execute(tx.db)
  const found = rows.filter((row) => row.name.toLowerCase() === name)
  if (found.length === 0) return []
  const { rows: commands } = await sql<Invoked>`
    SELECT found.bot_id AS "botId", c.name, c.options
    FROM unnest(${found.map(({ applicationId }) => applicationId)}::uuid[], ${found.map(({ position }) => position)}::int[],
      ${found.map(({ botId }) => botId)}::uuid[]) AS found (application_id, position, bot_id)
    JOIN commands c ON c.application_id = found.application_id AND c.position = found.position
    WHERE c.options IS NOT NULL`.execute(tx.db)
  return commands
}

interface Room {
  readonly id: string
  readonly name: string
  /** Of those that have the command. */
  readonly botIds: readonly string[]
}

/** What the options refer to: members and roles of the channel, and rooms that both the author and the bot see. */
export async function readReferences(
  tx: Tx,
  room: RoomPlace,
  rest: string,
  invoked: readonly Invoked[],
): Promise<{ of(botId: string): ResolveReference }> {
  const written = { member: new Set<string>(), role: new Set<string>(), room: new Set<string>() }
  for (const { options } of invoked) parseOptions(rest, options, (type, each) => void written[type].add(each))
  const known = await readKnown(tx, room, [...written.member], [...written.role])
  const rooms = written.room.size > 0 ? await readRooms(tx, room, invoked) : []
  return {
    of: (botId) => (type, each) => {
      if (type !== 'room') return known.has(each) ? each : undefined
      const folded = each.toLowerCase()
      const seen = rooms.filter(({ botIds }) => botIds.includes(botId))
      const named = seen.filter(({ id, name }) => id === folded || name.toLowerCase() === folded)
      return named.length === 1 ? named[0]!.id : undefined
    },
  }
}

async function readKnown(
  tx: Tx,
  { channelId }: RoomPlace,
  memberIds: readonly string[],
  roleIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (memberIds.length + roleIds.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    SELECT account_id AS id FROM members WHERE channel_id = ${channelId}::uuid AND account_id = ANY (${memberIds}::uuid[])
    UNION ALL
    SELECT id FROM roles WHERE channel_id = ${channelId}::uuid AND id = ANY (${roleIds}::uuid[])`.execute(tx.db)
  return new Set(rows.map(({ id }) => id))
}

async function readRooms(tx: Tx, room: RoomPlace, invoked: readonly Invoked[]): Promise<Room[]> {
  const { rows } = await sql<Room>`
    SELECT o.id, o.name, ARRAY(
      SELECT bot_id FROM unnest(${invoked.map(({ botId }) => botId)}::uuid[]) AS bot_id
      WHERE NOT o.private OR bot_can_read(bot_id, o.channel_id, o.id)) AS "botIds"
    FROM rooms o WHERE o.channel_id = ${room.channelId}::uuid AND ${isSeenBy(tx.actor, room)}`.execute(tx.db)
  return rows
}
