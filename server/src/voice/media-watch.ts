import { system } from '../operations/actor.ts'
import type { Services } from '../operations/services.ts'
import { run } from '../operations/transaction.ts'
import { Absences } from './absences.ts'
import { checkVoiceSessions } from './check-voice-sessions.ts'
import type { Connection, Publishing } from './media.ts'
import {
  allVoiceSessions,
  endThisVoiceSession,
  setLive,
  voiceSessionsOf,
  type KnownVoiceSession,
  type VoiceSession,
} from './voice-session.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type Asking = () => Promise<readonly Connection[]>

/**
 * Keeps voice sessions and the media server's participants in sync. Actions are idempotent across processes, and a
 * restarted process gives everyone their full time again.
 */
export class MediaWatch {
  readonly #services: Services
  readonly #ask: Asking
  readonly #absences: Absences
  #answers = true

  constructor(services: Services, ask: Asking, now: () => number = () => performance.now()) {
    this.#services = services
    this.#ask = ask
    this.#absences = new Absences(now)
  }

  /** Milliseconds until someone’s time is over; Infinity while everyone is connected. */
  untilNext(): number {
    return this.#absences.untilNext()
  }

  async look(): Promise<void> {
    const before = await allVoiceSessions(this.#services.database.kysely)
    const connections = await this.#connections()
    if (!connections) return
    // Read after the response: a legitimate participant had their voice session before.
    const sessions = await allVoiceSessions(this.#services.database.kysely)
    const connected = new Map(
      connections.map((connection) => [placeOf(connection.roomId, connection.identity), connection]),
    )
    const away = sessions.filter(({ roomId, accountId }) => !connected.get(placeOf(roomId, accountId))?.hasMedia)
    for (const session of this.#absences.overdue(away)) await this.#takeOut(session)
    await this.#removeStrangers(sessions, connections)
    await this.#applyRights(sessions, connected)
    const wasLive = new Map(before.map(({ roomId, accountId, live }) => [placeOf(roomId, accountId), live]))
    for (const session of sessions) {
      const place = placeOf(session.roomId, session.accountId)
      // A report that arrived while the media server was being queried is newer than its answer.
      if (session.live !== (wasLive.get(place) ?? false)) continue
      await this.#noteLive(session, connected.get(place)?.isLive)
    }
  }

  /** Someone's media flows. The next check may miss that, because it comes seconds later. */
  noteMedia({ roomId, identity }: Pick<Connection, 'roomId' | 'identity'>): void {
    this.#absences.end(roomId, identity)
  }

  /** Publishes immediately who began or stopped broadcasting. */
  async notePublishing({ roomId, identity, isLive }: Publishing): Promise<void> {
    if (!UUID.test(roomId) || !UUID.test(identity)) return
    const sessions = await voiceSessionsOf(this.#services.database.kysely, { roomId, accountId: identity })
    for (const session of sessions) await this.#noteLive(session, isLive)
  }

  /**
   * Checks a participant at the moment of connecting. A token outlives a kick, a move and a mute, so the participant needs
   * a voice session now, and may publish only what they may now.
   */
  async judge(connection: Connection): Promise<void> {
    const { roomId, identity, hasMedia } = connection
    if (!UUID.test(roomId) || !UUID.test(identity)) return
    if (hasMedia) this.noteMedia(connection)
    const sessions = await voiceSessionsOf(this.#services.database.kysely, { roomId, accountId: identity })
    await this.#removeStrangers(sessions, [connection])
    for (const { session, mayStay, canPublish } of await checkVoiceSessions(this.#services, sessions)) {
      if (!mayStay) await this.#takeOut(session)
      // Rights beyond the token are granted by the next check: a concurrent mute must win.
      else if (connection.canPublish && !canPublish) await this.#services.media.mute({ ...connection, canPublish })
    }
  }

  /** Without a response nothing is known, and no absence is counted. */
  async #connections(): Promise<readonly Connection[] | undefined> {
    const { log } = this.#services
    try {
      const connections = await this.#ask()
      if (!this.#answers) log.info('media server responds again')
      this.#answers = true
      return connections
    } catch (error) {
      if (this.#answers) log.warn({ err: error }, 'media server does not respond')
      this.#answers = false
      this.#absences.forget()
      return undefined
    }
  }

  async #takeOut(session: VoiceSession): Promise<void> {
    await run(this.#services, system, (tx) => endThisVoiceSession(tx, session))
  }

  /** In a voice room everyone sends; only a stream room has an audience. */
  async #noteLive(session: KnownVoiceSession, live = false): Promise<void> {
    if (session.roomType !== 'stream' || session.live === live) return
    await run(this.#services, system, (tx) => setLive(tx, session, live))
  }

  /** A participant of a Portico room without a voice session has an outdated token. */
  async #removeStrangers(sessions: readonly VoiceSession[], connections: readonly Connection[]): Promise<void> {
    const inside = new Set(sessions.map(({ roomId, accountId }) => placeOf(roomId, accountId)))
    // Recorders have other identities, and rooms of other programs are ignored.
    const strangers = connections.filter(
      ({ roomId, identity }) => UUID.test(roomId) && UUID.test(identity) && !inside.has(placeOf(roomId, identity)),
    )
    if (strangers.length === 0) return
    const roomIds = [...new Set(strangers.map(({ roomId }) => roomId))]
    const { kysely } = this.#services.database
    const rooms = await kysely.selectFrom('rooms').select('id').where('id', 'in', roomIds).execute()
    const own = new Set(rooms.map(({ id }) => id))
    for (const { roomId, identity } of strangers)
      if (own.has(roomId)) await this.#services.media.remove(roomId, identity)
  }

  async #applyRights(sessions: readonly VoiceSession[], connected: ReadonlyMap<string, Connection>): Promise<void> {
    for (const { session, mayStay, canPublish } of await checkVoiceSessions(this.#services, sessions)) {
      const connection = connected.get(placeOf(session.roomId, session.accountId))
      if (!mayStay) await this.#takeOut(session)
      else if (connection && canPublish !== connection.canPublish) {
        await this.#services.media.mute({ ...connection, canPublish })
      }
    }
  }
}

function placeOf(roomId: string, accountId: string): string {
  return `${roomId} ${accountId}`
}
