import { channelChanged, type Command, type CommandOption, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { botOf } from '../operations/bot-of.ts'
import { requireFewOptions } from './check-options.ts'
import { notifyOwner } from '../applications/notify-owner.ts'
import { Refusal, wrongField } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'

type Declared = Input<typeof api.replaceCommands>['commands']

export async function listCommands(tx: Tx): Promise<Output<typeof api.listCommands>> {
  return { commands: await commandsOf(tx, botOf(tx.actor).applicationId) }
}

export async function replaceCommands(
  tx: Tx,
  { commands }: Input<typeof api.replaceCommands>,
): Promise<Output<typeof api.replaceCommands>> {
  const { applicationId, id } = botOf(tx.actor)
  refuseTwice(commands)
  requireFewOptions(commands)
  await tx.charge()

  // Locks the application's row first: of two concurrent lists, one is stored whole after the other.
  const { rows } = await sql`SELECT FROM applications WHERE id = ${applicationId}::uuid FOR NO KEY UPDATE`.execute(
    tx.db,
  )
  // Deleted since its key was accepted.
  if (rows.length === 0) throw new Refusal('unauthorized')
  const before = await commandsOf(tx, applicationId)
  const list = commands.map(({ name, description, usage, options }, index): Command => ({
    name,
    description,
    usage: usage ?? null,
    position: index + 1,
    ...(options && { options }),
  }))
  // Most bots declare their list at every start: an unchanged list publishes no event.
  if (isDeepStrictEqual(before, list)) return { commands: list }
  await tx.db.deleteFrom('commands').where('application_id', '=', applicationId).execute()
  if (list.length > 0) {
    tx.queue(tx.db.insertInto('commands').values(list.map((command) => rowOf(applicationId, command))))
  }
  await publishCommandsChanged(tx, id)
  notifyOwner(tx, applicationId)
  return { commands: list }
}

/** Open clients of the bot's channels see the new list without a request. */
async function publishCommandsChanged(tx: Tx, botId: string): Promise<void> {
  const channels = await tx.db.selectFrom('members').select('channel_id').where('account_id', '=', botId).execute()
  for (const { channel_id: channelId } of channels) tx.emit(channelChanged, { channelId }, { subject: 'command' })
}

export async function commandsOf(tx: Tx, applicationId: string): Promise<Command[]> {
  const rows = await tx.db
    .selectFrom('commands')
    .select(['name', 'description', 'usage', 'position', 'options'])
    .where('application_id', '=', applicationId)
    .orderBy('position')
    .execute()
  return rows.map(({ options, ...command }) => ({
    ...command,
    ...(options !== null && { options: options as unknown as CommandOption[] }),
  }))
}

function rowOf(applicationId: string, { options, ...command }: Command) {
  return { application_id: applicationId, ...command, options: options ? JSON.stringify(options) : null }
}

function refuseTwice(commands: Declared): void {
  const seen = new Set<string>()
  for (const [index, { name }] of commands.entries()) {
    const folded = name.toLowerCase()
    if (seen.has(folded)) throw wrongField(`commands.${index}.name`, `${name} is in the list twice`)
    seen.add(folded)
  }
}
