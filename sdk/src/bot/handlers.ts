import type { Client } from '../client/client.ts'
import type { CommandDescription } from '../commands/declare-commands.ts'
import { parseCommand } from '../commands/parse-command.ts'
import { CommandContext, Context, MessageContext, type MessageEventName } from './context.ts'
import type { BotEvent, EventName } from '../events/event.ts'
import { orderKey } from '../events/event.ts'
import { RoomOrder } from '../client/room-order.ts'

/** The context that comes with an event. */
export type ContextOf<Name extends EventName> = Name extends MessageEventName ? MessageContext<Name> : Context<Name>

/** Handles an event. */
export type EventHandler<Name extends EventName> = (event: BotEvent<Name>, context: ContextOf<Name>) => unknown

/** Handles a command. */
export type CommandHandler = (context: CommandContext) => unknown

interface Handler {
  run(event: BotEvent): unknown
}

interface RegisteredCommand extends CommandDescription {
  readonly name: string
}

const COMMAND_NAME = /^\/[\p{L}\p{N}-]+$/u

/**
 * The handlers of a bot. The events of a room are handled one after another, rooms in parallel. What a handler throws is
 * reported, and the next event is handled.
 */
export class Handlers {
  readonly #client: Client
  readonly #onError: (error: unknown, event: BotEvent) => void
  readonly #order = new RoomOrder()
  readonly #handlers: Handler[] = []
  readonly #commands: RegisteredCommand[] = []

  constructor(client: Client, onError: (error: unknown, event: BotEvent) => void) {
    this.#client = client
    this.#onError = onError
  }

  get commands(): readonly RegisteredCommand[] {
    return this.#commands
  }

  on<Name extends EventName>(name: Name, handle: EventHandler<Name>): void {
    const handler = this.#handlers.length
    this.#handlers.push({
      run: (event) => {
        if (event.event !== name) return undefined
        const options = { client: this.#client, event: event as BotEvent<Name>, handler }
        const context = isAboutMessage(event) ? new MessageContext(options as never) : new Context(options)
        return handle(event as BotEvent<Name>, context as ContextOf<Name>)
      },
    })
  }

  command(name: string, description: CommandDescription, handle: CommandHandler): void {
    if (!COMMAND_NAME.test(name)) throw new TypeError(`${name} isn’t a command: it must be like /deploy`)
    const isSame = (command: { readonly name: string }): boolean => command.name.toLowerCase() === name.toLowerCase()
    if (this.#commands.some(isSame)) throw new TypeError(`${name} has a handler already`)
    this.#commands.push({ name, ...description })
    const handler = this.#handlers.length
    this.#handlers.push({
      run: (event) => {
        if (event.event !== 'message.created') return undefined
        const parsed = parseCommand(event.data.message.text)
        if (!parsed || !isSame(parsed)) return undefined
        return handle(new CommandContext({ client: this.#client, event, handler }, { ...parsed, name }))
      },
    })
  }

  /** Resolves when all handlers of the event have finished. Never rejects. */
  handle(event: BotEvent): Promise<void> {
    return this.#order.run(orderKey(event), async () => {
      await Promise.all(this.#handlers.map((handler) => this.#run(handler, event)))
    })
  }

  async #run(handler: Handler, event: BotEvent): Promise<void> {
    try {
      await handler.run(event)
    } catch (error) {
      this.#onError(error, event)
    }
  }
}

function isAboutMessage(event: BotEvent): event is BotEvent<MessageEventName> {
  return !event.event.startsWith('voice.')
}
