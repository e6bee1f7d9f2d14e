import { operations, optionRequested, type AccessCheck, type AccessExplanation, type Input } from '@portico/contract'
import type * as api from '@portico/contract'
import type { Access, CommandOption, Operation, Right, Scope } from '@portico/contract'
import type { Bot } from '../operations/actor.ts'
import { isConnected } from '../events/is-connected.ts'
import { missingRight, noMessageHere } from '../operations/access-refusals.ts'
import { judgePlace, readPlace, type PlaceInput, type PlaceRow } from '../operations/authorize.ts'
import { Refusal, wrongField } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { explainRight, isTakenInChat } from './explain-right.ts'
import { explainRoom } from './explain-room.ts'
import { refusalByScope } from './refusal-by-scope.ts'
import { requireOwnApplication } from './require-own-application.ts'

/**
 * What the bot API would answer, and why. Every decision comes from the functions that decide about real requests; this
 * only adds which data the decision depended on.
 */
export async function explainAccess(
  tx: Tx,
  input: Input<typeof api.explainAccess>,
  _place: undefined,
  services: Pick<Services, 'database' | 'media'>,
): Promise<AccessExplanation> {
  const operation = botOperation(input.operation)
  const { id, name, botId } = await requireOwnApplication(tx, input.applicationId)
  const access = accessOf(operation, input)
  const place = access && placeOf({ ...operation, access }, input)
  const scopes = await scopesOf(tx, id)
  // Only checked, never returned: its picture and key don't matter.
  const unseen = { avatar: '', avatarVersion: 0, keyHash: Buffer.alloc(0) }
  const bot: Bot = { kind: 'bot', id: botId, name, applicationId: id, scopes: scopes ?? [], ...unseen }

  const row = place && (await readPlace(services, bot, place, access))
  const refusal =
    refusalByKey(operation, scopes) ?? (place && refusalByPlace(bot, place, { ...operation, access }, row))
  const checks = [
    ...scopeCheck(operation, scopes),
    ...(await kindsCheck(tx, id, input.operation)),
    ...(place ? await placeChecks(tx, services, bot, place, { ...operation, access }, row) : []),
  ]
  const explanation = { allowed: refusal === undefined, refusal: refusal ? shown(refusal) : null, checks }
  if (isOffering(input.operation) && input.roomId !== undefined) {
    return { ...explanation, offered: await offeredChecks(tx, services, bot, input) }
  }
  if (input.operation !== 'joinVoice' || refusal) return explanation
  const media: AccessCheck = { check: 'media', state: services.media.kind === 'off' ? 'forbids' : 'passes' }
  return { ...explanation, talking: [media, ...(await rightChecks(tx, bot, 'talk_voice_room', row))] }
}

/** In which rooms people are offered the commands of a bot: see `silentRooms`. */
async function offeredChecks(
  tx: Tx,
  services: Pick<Services, 'database'>,
  bot: Bot,
  { operation, channelId, roomId }: Input<typeof api.explainAccess>,
): Promise<AccessCheck[]> {
  const place = { ...(channelId !== undefined && { channelId }), ...(roomId !== undefined && { roomId }) }
  const row = await readPlace(services, bot, place, { room: ['text'] })
  const explain = (right: Right): Promise<AccessCheck[]> =>
    placeChecks(tx, services, bot, place, { access: { room: ['text'], right } }, row)
  const reading = await explain('read_text_room')
  const inRoom = reading.some(({ state }) => state === 'forbids') ? reading : await explain('write_text_room')
  const suggests = operation === 'sendSuggestions'
  const asked = suggests ? [await connectionCheck(tx, bot)] : []
  return [await commandsCheck(tx, bot, suggests), ...asked, ...inRoom]
}

function isOffering(operation: string): boolean {
  return operation === 'replaceCommands' || operation === 'sendSuggestions'
}

async function commandsCheck(tx: Tx, { applicationId }: Bot, suggests: boolean): Promise<AccessCheck> {
  const commands = await tx.db
    .selectFrom('commands')
    .select('options')
    .where('application_id', '=', applicationId)
    .execute()
  if (commands.length === 0) return { check: 'commands', state: 'forbids' }
  const options = commands.flatMap((command) => (command.options ?? []) as unknown as CommandOption[])
  const hasSuggestions = options.some(({ suggestions }) => suggestions)
  if (suggests && !hasSuggestions) return { check: 'commands', state: 'forbids', fault: 'no_suggestions' }
  return { check: 'commands', state: 'passes' }
}

/** Whether the bot is connected with a stream that asks for questions. */
async function connectionCheck(tx: Tx, { applicationId }: Bot): Promise<AccessCheck> {
  const stream = await tx.db
    .selectFrom('stream_owners')
    .select('kinds')
    .where('application_id', '=', applicationId)
    .where(isConnected)
    .executeTakeFirst()
  if (!stream) return { check: 'kinds', state: 'forbids', fault: 'not_connected' }
  const kinds = stream.kinds as AccessCheck['kinds'] | null
  const state = kinds?.includes(optionRequested.event) ? 'passes' : 'forbids'
  return { check: 'kinds', state, ...(kinds && { kinds }) }
}

function botOperation(name: string): Operation {
  const operation = operations.get(name)
  if (!operation || (operation.by !== 'bot' && operation.by !== 'member')) {
    throw wrongField('operation', 'isn’t an operation of the bot API', 'no_such_operation')
  }
  return operation
}

/** Where the right counts: also in the room of what the request is about, if the caller names one. */
function accessOf({ access, judgesIn }: Operation, { roomId }: PlaceInput): Access | undefined {
  return judgesIn && roomId !== undefined ? { ...access, room: judgesIn } : access
}

/** The place that the request would name: a room alone is enough. */
function placeOf({ access, input }: Operation, { channelId, roomId }: PlaceInput): PlaceInput {
  if (access?.room && roomId === undefined) throw wrongField('roomId', 'is required for this operation')
  if (channelId === undefined) throw wrongField('channelId', 'is required for this operation')
  return { ...('channelId' in input.properties && { channelId }), ...(roomId !== undefined && { roomId }) }
}

/** Undefined: the application has no key. */
async function scopesOf(tx: Tx, applicationId: string): Promise<readonly Scope[] | undefined> {
  const key = await tx.db
    .selectFrom('application_keys')
    .select('scopes')
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  return key?.scopes as readonly Scope[] | undefined
}

function refusalByKey(operation: Operation, scopes: readonly Scope[] | undefined): Refusal | undefined {
  if (!scopes) return new Refusal('unauthorized', { message: 'The application has no key.' })
  return refusalByScope(scopes, operation)
}

function refusalByPlace(bot: Bot, place: PlaceInput, operation: Operation, row?: PlaceRow): Refusal | undefined {
  const { access, judges, judgesIn } = operation
  try {
    const { rights } = judgePlace(bot, place, access ?? {}, row)
    return judges && !rights.has(judges) ? missingRight(judges) : undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (!row || !judgesIn || error.code !== 'unprocessable') return error
    // What is in a room that the bot can’t see is judged like what isn’t there.
    const { rights } = judgePlace(bot, { channelId: row.channelId }, {}, { ...row, roomId: null, overrides: null })
    return judges && !rights.has(judges) ? missingRight(judges) : noMessageHere()
  }
}

function scopeCheck({ scope }: Operation, scopes: readonly Scope[] | undefined): AccessCheck[] {
  if (!scopes) return [{ check: 'scope', state: 'forbids', fault: 'no_key', ...(scope && { scope }) }]
  if (scope === undefined) return []
  return [{ check: 'scope', state: scopes.includes(scope) ? 'passes' : 'forbids', scope }]
}

/** What a stream or a webhook that exists asked for. */
async function kindsCheck(tx: Tx, applicationId: string, operation: string): Promise<AccessCheck[]> {
  const table = ASKED_IN[operation]
  if (!table) return []
  const asked = await tx.db
    .selectFrom(table)
    .select('kinds')
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  if (!asked) return []
  const kinds = asked.kinds as AccessCheck['kinds'] | null
  return [{ check: 'kinds', state: 'passes', ...(kinds && { kinds }) }]
}

const ASKED_IN: Readonly<Record<string, 'stream_owners' | 'webhooks'>> = {
  getEventToken: 'stream_owners',
  setWebhook: 'webhooks',
  getWebhook: 'webhooks',
}

async function placeChecks(
  tx: Tx,
  services: Pick<Services, 'database'>,
  bot: Bot,
  place: PlaceInput,
  { access, judges }: Pick<Operation, 'access' | 'judges'>,
  row: PlaceRow | undefined,
): Promise<AccessCheck[]> {
  const right = access?.right ?? judges
  const installation: AccessCheck = { check: 'installation', state: row ? 'passes' : 'forbids' }
  const room = access?.room ? [await explainRoom(services, tx.actor, bot, place, access.room, row)] : []
  const reached = room.every(({ state }) => state === 'passes') ? row : undefined
  return [
    installation,
    ...room,
    ...(right ? await rightChecks(tx, bot, right, reached, access?.room !== undefined) : []),
  ]
}

async function rightChecks(tx: Tx, bot: Bot, right: Right, row?: PlaceRow, inRoom = true): Promise<AccessCheck[]> {
  const checks = explainRight(right, inRoom, bot.id, row)
  const muted = checks.some(({ check, state }) => check === 'mute' && state === 'forbids')
  if (!muted || !row) return checks
  const until = await muteEnd(tx, bot, row.channelId, right)
  return checks.map((check) => (check.check === 'mute' ? { ...check, until } : check))
}

async function muteEnd(tx: Tx, bot: Bot, channelId: string, right: Right): Promise<string | null> {
  const { chat, voice } = await tx.db
    .selectFrom('members')
    .select(['chat_muted_until as chat', 'voice_muted_until as voice'])
    .where('channel_id', '=', channelId)
    .where('account_id', '=', bot.id)
    .executeTakeFirstOrThrow()
  return isTakenInChat(right) ? chat : voice
}

function shown(refusal: Refusal): AccessExplanation['refusal'] {
  const { message, reason, requiredScope, requiredRight } = refusal.body()
  return {
    status: refusal.status,
    message,
    ...(reason !== undefined && { reason }),
    ...(requiredScope !== undefined && { requiredScope }),
    ...(requiredRight !== undefined && { requiredRight }),
  }
}
