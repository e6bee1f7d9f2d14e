import type { EventKind, LogPosition, PublishedEvent } from '@portico/contract'
import { onTestFinished } from 'vitest'
import type { Person } from './person.ts'
import { RawSocket } from './raw-socket.ts'
import type { TestServer } from './start-server.ts'

/** A browser with the portal open: it receives its person's events. */
export class OpenPortal {
  readonly #raw: RawSocket
  /** The id of the last command. */
  #commands = 2

  private constructor(raw: RawSocket) {
    this.#raw = raw
  }

  /** Connects and subscribes, optionally from a position. Disconnects after the test. */
  static async of(
    server: Pick<TestServer, 'url'>,
    { cookie }: Pick<Person, 'cookie'>,
    since?: LogPosition,
  ): Promise<OpenPortal> {
    const raw = await RawSocket.open(server, { cookie, origin: server.url })
    onTestFinished(() => raw.socket.terminate())
    raw.send(
      { id: 1, connect: {} },
      { id: 2, subscribe: { channel: 'portal', ...(since && { recover: true, ...since }) } },
    )
    await raw.next()
    await raw.next()
    return new OpenPortal(raw)
  }

  /** Shows a room: from here on it receives who is typing there. */
  async show(roomId: string): Promise<void> {
    await this.#command({ subscribe: { channel: `room:${roomId}` } })
  }

  async hide(roomId: string): Promise<void> {
    await this.#command({ unsubscribe: { channel: `room:${roomId}` } })
  }

  /** The next event of this kind; others before it are skipped. */
  async next<E extends EventKind>(kind: E): Promise<PublishedEvent<E>> {
    for (;;) {
      const event = (await this.#raw.next()).push?.pub.data
      if (event?.event === kind.event) return event as unknown as PublishedEvent<E>
    }
  }

  /** The kinds of all events received so far. */
  get kinds(): string[] {
    return this.#all().map(({ event }) => event)
  }

  /** All events of a kind received so far. */
  eventsOf<E extends EventKind>(kind: E): PublishedEvent<E>[] {
    return this.#all().filter(({ event }) => event === kind.event) as PublishedEvent<E>[]
  }

  close(): void {
    this.#raw.socket.terminate()
  }

  async #command(command: object): Promise<void> {
    const id = (this.#commands += 1)
    this.#raw.send({ id, ...command })
    for (;;) if ((await this.#raw.next()).id === id) return
  }

  #all(): PublishedEvent<EventKind>[] {
    return this.#raw.frames.flatMap((frame) => {
      const { push } = JSON.parse(frame) as { push?: { pub: { data: PublishedEvent<EventKind> } } }
      return push ? [push.pub.data] : []
    })
  }
}
