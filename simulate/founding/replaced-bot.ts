import { SCOPES, type Application } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bot } from '../actors/bot.ts'
import type { ChannelLocks } from '../actors/channel-locks.ts'
import { ManagedStreamBot } from '../actors/managed-bot.ts'
import { VoiceVisits } from '../actors/voice-visits.ts'
import type { Client } from '../actors/client.ts'
import type { Actor, History } from '../history/history.ts'
import type { Random } from '../random/random.ts'
import { REPLACED_BOT } from './roster.ts'

/** In milliseconds, before a request without an answer is repeated. */
const PAUSE = 500
/** In milliseconds: the time in which the stream of a deleted application ends. */
const STREAM_ENDS = 15_000

interface ReplacedBotOptions {
  readonly maker: Client
  readonly owner: Client
  readonly channelId: string
  readonly locks: ChannelLocks
  readonly history: History
  readonly random: Random
  readonly url: string
  readonly clientOf: (actor: Actor, credentials: string) => Client
  readonly secrets: Set<string>
}

/** A bot whose application is deleted, and created again with another bot of almost the same name. */
export class ReplacedBot {
  readonly #options: ReplacedBotOptions
  #made = 0
  #name = ''
  #current: ManagedStreamBot | undefined

  constructor(options: ReplacedBotOptions) {
    this.#options = options
  }

  get current(): ManagedStreamBot | undefined {
    return this.#current
  }

  async step(): Promise<void> {
    await this.#current?.bot.step()
  }

  /** Undefined if it did not get that far. */
  async replace(): Promise<ManagedStreamBot | undefined> {
    await this.#delete()
    return this.create()
  }

  async create(): Promise<ManagedStreamBot | undefined> {
    const { maker, owner, channelId, locks, history, random, url, clientOf, secrets } = this.#options
    // Another one may be created meanwhile.
    const name = `${REPLACED_BOT} ${(this.#made += 1)}`
    this.#name = name
    const created = await maker.call('createApplication', { name })
    if (created?.status !== 201) return undefined
    const { id: applicationId, bot } = created.body as Application
    const issued = await maker.call('issueKey', { applicationId, scopes: Object.keys(SCOPES) })
    if (issued?.status !== 201) return undefined
    const { key } = issued.body as { key: string }
    secrets.add(key)
    await locks.change(channelId, owner, 'install', { channelId, applicationId })
    const client = clientOf({ name, id: bot.id, kind: 'bot' }, key)
    const own = random.of(name)
    const voice = new VoiceVisits({ client, random: own.of('voice'), history, url })
    const made = new Bot({ client, random: own, applicationId, channels: [channelId], voice })
    this.#current = new ManagedStreamBot({ bot: made, history, random: own, url })
    this.#current.onKey(key, Object.keys(SCOPES))
    return this.#current
  }

  async #delete(): Promise<void> {
    const { maker, owner, channelId, locks } = this.#options
    const former = this.#current
    if (!former) return
    const { applicationId } = former
    this.#current = undefined
    // The owner of the channel sees it go first, so that the model of the channel knows.
    await locks.change(channelId, owner, 'uninstall', { channelId, applicationId })
    for (;;) {
      const answer = await maker.call('deleteApplication', { applicationId, name: this.#name })
      if (answer && answer.status < 500) break
      await sleep(PAUSE)
    }
    former.bot.hangUp()
    setTimeout(() => {
      former.disconnect()
      former.client.close()
    }, STREAM_ENDS).unref()
  }
}
