import { checkRun } from './check.ts'
import type { Actor, Entry, Timed } from '../history/history.ts'
import type { OperationName } from '../history/operations.ts'
import { indexRun, RunBuilder } from '../model/run-builder.ts'
import type { Check } from './violation.ts'

interface Written {
  readonly status?: number
  readonly body?: unknown
  readonly credential?: string
  readonly idempotencyKey?: string
}

const EVERY_RIGHT = ['read_text_room', 'write_text_room', 'react_text_msg', 'join_voice_room', 'edit_text_msg_you_own']
/** In milliseconds: from a request to its answer. */
const TAKES = 10

/** A short history for the tests of checks: a channel with an owner, a bot and a member, and what the test adds. */
export class WrittenHistory {
  readonly owner = { id: 'owner', name: 'Owner', kind: 'person' } as const
  readonly member = { id: 'member', name: 'Member', kind: 'person' } as const
  readonly bot = { id: 'bot', name: 'Bot', kind: 'bot' } as const
  readonly #entries: Entry[] = []
  #calls = 0
  now = 0

  constructor() {
    const { owner, member } = this
    const startedAt = new Date(0).toISOString()
    this.#entries.push({ kind: 'head', at: 0, seed: 'test', mode: 'single', faults: [], minutes: 1, startedAt })
    const at = { channelId: 'channel' }
    this.call(owner, 'createChannel', { name: 'Harbor' }, { status: 201, body: { id: 'channel' } })
    const roles = [
      { id: 'owners', systemName: 'CHANNEL_OWNER', rights: EVERY_RIGHT },
      { id: 'members', systemName: 'CHANNEL_MEMBER', rights: EVERY_RIGHT },
      { id: 'bots', systemName: 'CHANNEL_BOT', rights: EVERY_RIGHT },
    ]
    this.call(owner, 'listRoles', at, { status: 200, body: { roles } })
    const rooms = [
      { id: 'room', name: 'quay', type: 'text' },
      { id: 'voice', name: 'bridge', type: 'voice', users: [] },
      { id: 'hidden', name: 'captains', type: 'text', private: true },
    ]
    this.call(owner, 'listRooms', at, { status: 200, body: { rooms } })
    this.call(member, 'join', at, { status: 200, body: {} })
    this.call(
      owner,
      'createApplication',
      { name: 'Bot' },
      { status: 201, body: { id: 'application', bot: { id: 'bot' } } },
    )
    this.call(owner, 'install', { ...at, applicationId: 'application' }, { status: 200, body: {} })
  }

  /** Lets time pass, in seconds. */
  wait(seconds: number): this {
    this.now += seconds * 1000
    return this
  }

  call(
    actor: Actor,
    operation: OperationName,
    args: object,
    { status, body = '', ...options }: Written = { status: 200 },
  ): this {
    const call = (this.#calls += 1)
    const known = args as Readonly<Record<string, unknown>>
    this.#entries.push({ kind: 'call', at: (this.now += 1), call, actor, operation, args: known, ...options })
    this.now += TAKES
    if (status === undefined) this.#entries.push({ kind: 'lost', at: this.now, call, why: 'socket hang up' })
    else this.#entries.push({ kind: 'return', at: this.now, call, status, body, headers: {} })
    return this
  }

  /** A message that was acknowledged. */
  send(
    actor: Actor,
    id: string,
    text: string,
    options: { readonly roomId?: string; readonly key?: string } = {},
  ): this {
    const { roomId = 'room', key } = options
    const idempotencyKey = key === undefined ? {} : { idempotencyKey: key }
    return this.call(
      actor,
      'send',
      { channelId: 'channel', roomId, text },
      { status: 201, body: { id }, ...idempotencyKey },
    )
  }

  add(entry: Timed<Entry>): this {
    this.#entries.push({ ...entry, at: (this.now += 1) } as Entry)
    return this
  }

  /** What a check finds in it while the run lasts. */
  violations(check: Check): string[] {
    return checkRun(indexRun(this.#entries), [check]).violations.map(({ what }) => what)
  }

  /** What a check finds in it, once everything was quiet and the owner has read the room. */
  violationsOf(check: Check, finalMessages: readonly { id: string; text: string; authorId: string }[] = []): string[] {
    this.wait(60).add({ kind: 'phase', phase: 'quiet' })
    const messages = finalMessages.map(({ id, text, authorId }) => {
      return { id, text, createdAt: new Date(0).toISOString(), author: { id: authorId } }
    })
    const builder = new RunBuilder()
    for (const entry of this.#entries) builder.add(entry)
    const at = this.now
    const args = { channelId: 'channel', roomId: 'room' }
    builder.add({ kind: 'call', at: at + 1, call: -1, actor: this.owner, operation: 'read', args, isFinal: true })
    builder.add({ kind: 'return', at: at + 2, call: -1, status: 200, body: { messages, hasMore: false }, headers: {} })
    return checkRun(builder.build(), [check]).violations.map(({ what }) => what)
  }
}
