import type { Tx } from '../../operations/transaction.ts'
import { hashSecret } from '../../secrets/generated-secret.ts'
import type { Services } from '../../operations/services.ts'
import type { Acting } from './acting.ts'
import { connectOAuth } from '../../sign-in/oauth.ts'
import { BOTS, type BotKey, type DemoBot } from './bots.ts'
import type { DemoApplication } from './demo-file.ts'
import { roleOf, type MadeChannel, type Residents } from './make-channel.ts'

export interface MadeBot {
  /** The bot's account, the author of its messages. */
  readonly botId: string
  readonly application: DemoApplication
}

export type MadeBots = Readonly<Record<BotKey, MadeBot>>

/** Creates the applications with keys and commands, and installs them. */
interface Maker {
  readonly services: Services
  readonly acting: Acting
}

export async function makeBots(
  tx: Tx,
  maker: Maker,
  people: Residents,
  channels: readonly MadeChannel[],
): Promise<MadeBots> {
  return {
    shipyard: await makeBot(tx, maker, 'shipyard', people, channels),
    almanac: await makeBot(tx, maker, 'almanac', people, channels),
  }
}

async function makeBot(
  tx: Tx,
  { services, acting }: Maker,
  which: BotKey,
  people: Residents,
  channels: readonly MadeChannel[],
): Promise<MadeBot> {
  const { name, owner, scopes, commands, redirectUri }: DemoBot = BOTS[which]
  const { act, tx: ofOwner } = people[owner]
  const { id, bot } = await act('createApplication', { name })
  const { key } = await act('issueKey', { applicationId: id, scopes: [...scopes] })

  for (const channel of channels) {
    const role = channel.plan.bots[which]
    if (!role) continue
    const { id: roleId } = role === 'own role' ? channel.ownRole : roleOf(channel.roles, role)
    await people[channel.plan.owner].act('installApplication', { channelId: channel.id, applicationId: id, roleId })
  }

  const keyHash = hashSecret(key)
  const itself = { kind: 'bot', ...bot, name, applicationId: id, keyHash, scopes } as const
  await acting(tx, itself)('replaceCommands', { commands: commands.map((command) => ({ ...command })) })
  const connected =
    redirectUri === undefined
      ? undefined
      : await connectOAuth(ofOwner, services.config, { applicationId: id, redirectUri })
  const clientId = connected?.oauth.clientId ?? null
  const clientSecret = connected?.clientSecret ?? null
  return { botId: bot.id, application: { id, name, key, scopes, clientId, clientSecret } }
}
