import type { EventData } from '../client/resources.ts'
import type { NoOptions, OptionDeclarations, OptionsOf } from '../commands/options.ts'
import type { OptionError } from '../commands/parse-options.ts'
import { MessageContext, type ContextOptions } from './context.ts'

/** A command as it was understood. */
export interface Invocation {
  readonly name: string
  readonly args: readonly string[]
  readonly rest: string
  readonly options: object
  readonly errors: readonly OptionError[]
}

/** What the handler of a command gets. */
export class CommandContext<Options extends OptionDeclarations = NoOptions> extends MessageContext<'message.created'> {
  /** The command, with its slash, as it was declared. */
  readonly command: string
  /** The arguments, without quotes and formatting: of `/deploy "my service" 1.2` they are `my service` and `1.2`. */
  readonly args: readonly string[]
  /** Everything after the name of the command, as it was typed. */
  readonly rest: string
  /** The values of the options that the command was declared with. */
  readonly options: OptionsOf<Options>
  /** What is wrong with the options. The handler of the command only runs if nothing is. */
  readonly errors: readonly OptionError[]

  constructor(context: ContextOptions<'message.created'>, { name, args, rest, options, errors }: Invocation) {
    super(context)
    this.command = name
    this.args = args
    this.rest = rest
    this.options = options as OptionsOf<Options>
    this.errors = errors
  }

  /** The whole message. */
  get message(): EventData['message.created']['message'] {
    return this.event.data.message
  }
}
