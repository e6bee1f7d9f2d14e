import type { EventKind, LogPosition, Told } from '@portico/contract'
import { onTestFinished } from 'vitest'
import type { Person } from './person.ts'
import { RawSocket } from './raw-socket.ts'
import type { TestServer } from './start-server.ts'

/** A browser with the portal open: it receives its person's events. */
export class OpenPortal {
  readonly #raw: RawSocket

  private constructor(raw: RawSocket) {
    this.#raw = raw
  }

  /** Connects and subscribes, to what happened after a position if one is given; ends with the test. */
  static async of(server: Pick<TestServer, 'url'>, { cookie }: Person, since?: LogPosition): Promise<OpenPortal> {
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

  /** The next event of a kind; others before it are passed over. */
  async next<E extends EventKind>(kind: E): Promise<Told<E>> {
    for (;;) {
      const told = (await this.#raw.next()).push?.pub.data
      if (told?.event === kind.event) return told as unknown as Told<E>
    }
  }

  /** The kinds of all events received so far. */
  get heard(): string[] {
    return this.#all().map(({ event }) => event)
  }

  /** All events of a kind received so far. */
  told<E extends EventKind>(kind: E): Told<E>[] {
    return this.#all().filter(({ event }) => event === kind.event) as Told<E>[]
  }

  close(): void {
    this.#raw.socket.terminate()
  }

  #all(): Told<EventKind>[] {
    return this.#raw.frames.flatMap((frame) => {
      const { push } = JSON.parse(frame) as { push?: { pub: { data: Told<EventKind> } } }
      return push ? [push.pub.data] : []
    })
  }
}
