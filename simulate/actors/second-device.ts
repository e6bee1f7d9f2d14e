import type { Client } from './client.ts'
import type { History } from '../history/history.ts'
import type { Random } from '../random/random.ts'
import type { Person } from './person.ts'
import { EventSocket } from './socket.ts'
import { nextText } from './texts.ts'

const WEIGHTS = { act: 10, signOut: 1, endFromOtherDevice: 2, useEndedSession: 2 }

interface SecondDeviceOptions {
  readonly person: Person
  /** Of the same person, with a session of its own. */
  readonly client: Client
  readonly password: string
  readonly history: History
  readonly random: Random
  readonly url: string
}

/** The phone of someone who also has the portal open: with a session, a socket and an end of its own. */
export class SecondDevice {
  readonly client: Client
  readonly #options: SecondDeviceOptions
  #socket: EventSocket | undefined
  #sockets = 0
  #endedSession = ''

  constructor(options: SecondDeviceOptions) {
    this.#options = options
    this.client = options.client
  }

  get id(): string {
    return this.client.actor.id
  }

  async step(): Promise<void> {
    if (this.client.credentials === '') await this.signIn()
    else await this[this.#options.random.weighted(WEIGHTS)]()
  }

  async signIn(): Promise<void> {
    const { password, history, url } = this.#options
    const { actor } = this.client
    const answer = await this.client.call('signIn', { name: actor.name, password })
    if (!answer || answer.status >= 300) {
      this.client.credentials = ''
      return
    }
    // Names the session, for when the other device ends it.
    await this.client.call('listSessions', {})
    const session = this.client.credentials
    this.#socket = new EventSocket({
      history,
      url,
      actor,
      receiver: `${actor.name}’s phone ${(this.#sockets += 1)}`,
      as: { cookie: () => session },
    })
  }

  /** What the other device then shows, too. */
  async act(): Promise<void> {
    const { random, person } = this.#options
    const message = person.someMessage()
    if (!message) return
    const { channelId, roomId, messageId } = message
    const what = random.weighted({ markRead: 6, send: 3, markUnread: 1 })
    if (what === 'send') await this.client.call('send', { channelId, roomId, text: nextText(random) })
    else await this.client.call(what, { channelId, roomId, messageId })
  }

  async signOut(): Promise<void> {
    const session = this.client.credentials
    const answer = await this.client.call('signOut', {})
    this.#ended(session, answer?.status)
  }

  /** By the person at the other device. */
  async endFromOtherDevice(): Promise<void> {
    const session = this.client.credentials
    const list = await this.client.call('listSessions', {})
    if (list?.status !== 200) return
    const { sessions } = list.body as { sessions: { id: string; current: boolean }[] }
    const own = sessions.find(({ current }) => current)
    if (!own) return
    const answer = await this.#options.person.client.call('endSession', { sessionId: own.id })
    this.#ended(session, answer?.status)
  }

  async useEndedSession(): Promise<void> {
    if (this.#endedSession === '') return
    const current = this.client.credentials
    this.client.credentials = this.#endedSession
    const answer = this.client.call('listSessions', {})
    this.client.credentials = current
    await answer
  }

  close(): void {
    this.#socket?.close()
  }

  /** Only if that is certain: otherwise the device goes on as before. */
  #ended(session: string, status: number | undefined): void {
    if (status === undefined || status >= 500) {
      this.client.credentials = session
      return
    }
    this.#endedSession = session
    this.client.credentials = ''
  }
}
