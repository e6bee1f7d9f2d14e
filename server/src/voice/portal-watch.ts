import { LIMITS } from '@portico/contract'
import { sql } from 'kysely'
import { system } from '../operations/actor.ts'
import type { Services } from '../operations/services.ts'
import { run } from '../operations/transaction.ts'
import { Absences } from './absences.ts'
import { checkVoiceSessions } from './check-voice-sessions.ts'
import { allVoiceSessions, endThisVoiceSession, type KnownVoiceSession, type VoiceSession } from './voice-session.ts'

/**
 * Without a media server, a member without an open portal counts as gone: a browser that crashed, a phone that lost its
 * network. A bot counts as connected with an open event stream or a request in the last ten minutes.
 */
export class PortalWatch {
  readonly #services: Services
  readonly #absences: Absences

  constructor(services: Services, now: () => number = () => performance.now()) {
    this.#services = services
    this.#absences = new Absences(now)
  }

  /** Milliseconds until someone’s time is over; Infinity while everyone is connected. */
  untilNext(): number {
    return this.#absences.untilNext()
  }

  async look(): Promise<void> {
    const sessions = await allVoiceSessions(this.#services.database.kysely)
    for (const session of this.#absences.overdue(await this.#awayOf(sessions))) await this.#takeOut(session)
    for (const { session, mayStay } of await checkVoiceSessions(this.#services, sessions))
      if (!mayStay) await this.#takeOut(session)
  }

  /** Without Redis, a node doesn't know who has the portal open on another one: no absence is counted. */
  async #awayOf(sessions: readonly KnownVoiceSession[]): Promise<readonly KnownVoiceSession[]> {
    const { presence, redis } = this.#services
    if (redis?.isReady === false) return []
    const channelIds = [...new Set(sessions.map(({ channelId }) => channelId))]
    const online = new Map(await Promise.all(channelIds.map(async (id) => [id, await presence.onlineIn(id)] as const)))
    const offline = sessions.filter(({ channelId, accountId }) => !online.get(channelId)?.has(accountId))
    const active = await this.#activeBots(offline)
    return offline.filter(({ accountId }) => !active.has(accountId))
  }

  /** The bots that used their key recently. */
  async #activeBots(sessions: readonly KnownVoiceSession[]): Promise<ReadonlySet<string>> {
    const botIds = sessions.flatMap(({ accountId, isBot }) => (isBot ? [accountId] : []))
    if (botIds.length === 0) return new Set()
    const rows = await this.#services.database.kysely
      .selectFrom('applications as p')
      .innerJoin('application_keys as k', 'k.application_id', 'p.id')
      .select('p.bot_id as botId')
      .where('p.bot_id', 'in', botIds)
      .where('k.last_used_at', '>', sql<string>`now() - make_interval(secs => ${LIMITS.voiceWithoutRequest})`)
      .execute()
    return new Set(rows.map(({ botId }) => botId))
  }

  async #takeOut(session: VoiceSession): Promise<void> {
    await run(this.#services, system, (tx) => endThisVoiceSession(tx, session))
  }
}
