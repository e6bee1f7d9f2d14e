import { optionRequested, parseOptions, type CommandOption, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { publishToBot } from '../events/ephemeral.ts'
import { authorOf } from '../operations/actor.ts'
import type { RoomPlace } from '../operations/authorize.ts'
import { publishNow } from '../operations/publish-now.ts'
import { cannot, Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { rightsInRoom } from '../rooms/reads-room.ts'
import { readReferences } from './invoked-commands.ts'
import { optionRequestId } from './option-request-id.ts'

/** Writes nothing: the bot gets the request if it is connected now. */
export async function requestSuggestions(
  tx: Tx,
  { botId, command, option, typed, line }: Input<typeof api.requestSuggestions>,
  room: RoomPlace,
  { bus, secret, suggestionQuotas }: Pick<Services, 'bus' | 'secret' | 'suggestionQuotas'>,
): Promise<Output<typeof api.requestSuggestions>> {
  const { channelId, roomId } = room
  const { id, name } = authorOf(tx.actor)
  const [commands, rights] = await Promise.all([commandsOfBot(tx, room, botId), rightsInRoom(tx, botId, room)])
  const invoked = commands.find((each) => isSame(each.name, command))
  const meant = invoked?.options.find((each) => isSame(each.name, option))
  // What the room offers: see `silentRooms`.
  const isOffered = rights.has('read_text_room') && rights.has('write_text_room')
  if (!invoked || !meant?.suggestions || !isOffered) throw noSuchOption()
  if (!suggestionQuotas.takeRequest(botId, id)) throw tooFast()

  const references = await readReferences(tx, room, line, [{ botId, ...invoked }])
  const { options } = parseOptions(line, invoked.options, references.of(botId))
  delete options[meant.name]
  const requestId = optionRequestId(secret, botId, { channelId, userId: id, at: invoked.now })
  const asked = { requestId, roomId, command: invoked.name, option: meant.name, typed, options, user: { id, name } }
  await publishNow(publishToBot(bus, botId, optionRequested, channelId, asked))
  return { id: requestId }
}

interface Declared {
  readonly name: string
  readonly options: readonly CommandOption[]
  /** By the clock of the database, in milliseconds. */
  readonly now: number
}

async function commandsOfBot(tx: Tx, { channelId }: RoomPlace, botId: string): Promise<readonly Declared[]> {
  const { rows } = await sql<Declared>`
    SELECT c.name, c.options, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now
    FROM members m JOIN applications p ON p.bot_id = m.account_id JOIN commands c ON c.application_id = p.id
    WHERE m.channel_id = ${channelId}::uuid AND m.account_id = ${botId}::uuid AND m.is_bot
      AND c.options IS NOT NULL`.execute(tx.db)
  return rows
}

function isSame(name: string, written: string): boolean {
  return name.toLowerCase() === written.toLowerCase()
}

function noSuchOption(): Error {
  return cannot('This room has no such option of a command, or its bot suggests nothing.', 'no_such_option')
}

function tooFast(): Refusal {
  const message = 'The bot is asked for suggestions too often. Try again in 1 s.'
  return new Refusal('tooManyRequests', { message, reason: 'too_fast', retryAfterSec: 1 })
}
