import { SCOPES } from '@portico/contract'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.ts'
import type { Random } from '../random/random.ts'

const ALL = Object.keys(SCOPES)
const WEIGHTS = { issueKey: 3, takeScopes: 5, takeEvents: 4, useOldKey: 4, revokeKey: 1, setLimits: 2, replace: 1 }
/** In milliseconds, before a change is repeated whose outcome is unknown. */
const PAUSE = 500
const LIMITS = [
  { requests: 60, writes: 20 },
  { requests: 120, writes: 40 },
  { requests: 100_000, writes: 100_000 },
]

/** An application whose keys change while its bot acts. */
export interface ManagedBot {
  /** The bot’s client, with the current key. */
  readonly client: Client
  readonly applicationId: string
  /** With a new key, or because the application has just been created. */
  onKey(key: string, scopes: readonly string[]): void
}

interface ApplicationOwnerOptions {
  readonly client: Client
  readonly administrator: Client
  readonly random: Random
  /** Deletes the application and creates another. Without it, that doesn’t happen. */
  readonly replace?: () => Promise<ManagedBot | undefined>
  readonly bot: ManagedBot
  /** What must not be in a log. */
  readonly secrets: Set<string>
}

/** Issues keys with other scopes, revokes them, changes limits, and deletes the application while its bot acts. */
export class ApplicationOwner {
  readonly #options: ApplicationOwnerOptions
  readonly #client: Client
  readonly #random: Random
  readonly #oldKeys: string[] = []
  #bot: ManagedBot

  constructor(options: ApplicationOwnerOptions) {
    this.#options = options
    this.#client = options.client
    this.#random = options.random
    this.#bot = options.bot
  }

  async step(): Promise<void> {
    await this[this.#random.weighted(WEIGHTS)]()
  }

  /** All scopes again, so that everything that is held arrives. */
  restore(): Promise<void> {
    return this.#issue(ALL)
  }

  issueKey(): Promise<void> {
    return this.#issue(ALL)
  }

  takeScopes(): Promise<void> {
    return this.#issue(this.#random.some(ALL, 0.7))
  }

  takeEvents(): Promise<void> {
    return this.#issue(ALL.filter((scope) => scope !== 'events'))
  }

  /** As a process that nobody has restarted. */
  async useOldKey(): Promise<void> {
    const key = this.#random.pick(this.#oldKeys)
    if (key === undefined) return
    const current = this.#bot.client.credentials
    this.#bot.client.credentials = key
    const answer = this.#bot.client.call('getProfile', {})
    this.#bot.client.credentials = current
    await answer
  }

  /** With the key itself, as after a leak; then with a new key. */
  async revokeKey(): Promise<void> {
    await this.#bot.client.call('revokeKey', {})
    await this.#issue(ALL)
  }

  async setLimits(): Promise<void> {
    const limits = this.#random.pick(LIMITS)
    const { applicationId } = this.#bot
    if (limits) await this.#options.administrator.call('setLimits', { applicationId, ...limits })
  }

  async replace(): Promise<void> {
    const replaced = await this.#options.replace?.()
    if (replaced) this.#bot = replaced
  }

  async #issue(scopes: readonly string[]): Promise<void> {
    const bot = this.#bot
    for (;;) {
      const answer = await this.#client.call('issueKey', { applicationId: bot.applicationId, scopes })
      if (answer?.status === 201) {
        const { key } = answer.body as { key: string }
        this.#options.secrets.add(key)
        if (bot.client.credentials !== '') this.#oldKeys.push(bot.client.credentials)
        bot.client.credentials = key
        bot.onKey(key, scopes)
        return
      }
      if (answer && answer.status < 500) return
      // Nobody knows the key that may have been issued.
      await sleep(PAUSE)
    }
  }
}
