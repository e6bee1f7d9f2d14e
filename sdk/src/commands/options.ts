import type { Client } from '../client/client.ts'
import type { Author, CommandOption } from '../client/resources.ts'
import type { BotEvent } from '../events/event.ts'
import type { OptionValue } from './parse-options.ts'

/** An option of a command, as `string`, `integer` and the like make it. */
export interface TypedOption<Value extends OptionValue = OptionValue, Required extends boolean = boolean> {
  readonly declaration: Omit<CommandOption, 'name'>
  readonly suggest?: Suggest<Value>
  /** For the compiler only: the type of the value, and whether there always is one. */
  readonly types?: { readonly value: Value; readonly required: Required }
}

/** The options of a command by name, in the order in which people write them: the required ones first. */
export type OptionDeclarations = Readonly<Record<string, TypedOption>>

export type NoOptions = Readonly<Record<string, never>>

/** The values of options: those of required ones are always there. */
export type OptionsOf<Options extends OptionDeclarations> = Readonly<
  { [Name in RequiredIn<Options>]: ValueOf<Options[Name]> } & {
    [Name in Exclude<keyof Options, RequiredIn<Options>>]?: ValueOf<Options[Name]>
  }
>

type RequiredIn<Options extends OptionDeclarations> = {
  [Name in keyof Options]: Options[Name] extends TypedOption<OptionValue, true> ? Name : never
}[keyof Options]

type ValueOf<Option> = Option extends TypedOption<infer Value> ? Value : never

/** What every option can have. */
export interface OptionSettings<Required extends boolean> {
  /** What people should write, up to 120 characters. */
  readonly description?: string
  /** By default people can leave it out. */
  readonly required?: Required
}

export interface BoundedSettings<
  Required extends boolean,
  Value extends OptionValue = OptionValue,
> extends OptionSettings<Required> {
  readonly min?: number
  readonly max?: number
  /** Suggests values while someone writes the option. They are hints: people may write others. */
  readonly suggest?: Suggest<Value>
}

/** Returns up to 25 values, with labels for people if they are given, within two seconds. */
export type Suggest<Value extends OptionValue = OptionValue> = (
  context: SuggestContext,
) => Suggested<Value> | Promise<Suggested<Value>>

export type Suggested<Value extends OptionValue = OptionValue> = readonly (
  | Value
  | { readonly value: Value; readonly label?: string }
)[]

/** What is known of an option that someone is writing. There is no session: an answer can’t wait for other events. */
export interface SuggestContext {
  readonly client: Client
  readonly event: BotEvent<'option.requested'>
  readonly channelId: string
  readonly roomId: string
  /** What is written of the option so far; may be empty. */
  readonly typed: string
  /** The other options, as far as they can be read. */
  readonly options: Readonly<Record<string, OptionValue>>
  /** Who is writing. */
  readonly author: Author
}

/** Makes an option that people can leave out, unless it is `required`. */
export type MakeOption<Value extends OptionValue> = <Required extends boolean = false>(
  settings?: OptionSettings<Required>,
) => TypedOption<Value, Required>

/** The same for one with a `min` and a `max`. */
export type MakeBoundedOption<Value extends OptionValue> = <Required extends boolean = false>(
  settings?: BoundedSettings<Required, Value>,
) => TypedOption<Value, Required>

interface Made {
  readonly declaration: Omit<CommandOption, 'name'>
  readonly suggest?: never
}

const make =
  (type: CommandOption['type']) =>
  ({ suggest, ...settings }: BoundedSettings<boolean> = {}): Made => ({
    declaration: { type, ...settings, ...(suggest && { suggestions: true }) },
    ...(suggest && { suggest: suggest as never }),
  })

/**
 * Text, of `min` to `max` characters. As the last option it takes the rest of the line.
 *
 * @example
 * string({ required: true, suggest: ({ typed }) => services.filter((service) => service.startsWith(typed)) })
 */
export const string: MakeBoundedOption<string> = make('string')

/** A whole number from `min` to `max`. */
export const integer: MakeBoundedOption<number> = make('integer')

/** A number from `min` to `max`. */
export const number: MakeBoundedOption<number> = make('number')

/** Yes or no. */
export const boolean: MakeOption<boolean> = make('boolean')

/** A member of the channel, whom people mention. The value is the id. */
export const member: MakeOption<string> = make('member')

/** A room of the channel, such as `#general`. The value is the id. */
export const room: MakeOption<string> = make('room')

/** A role of the channel, which people mention. The value is the id. */
export const role: MakeOption<string> = make('role')

/** One of up to 25 values, with labels for people if they are given: `choice(['staging', { value: 'live', label: 'Production' }])`. */
export function choice<const Value extends string, Required extends boolean = false>(
  choices: readonly (Value | { readonly value: Value; readonly label?: string })[],
  settings: OptionSettings<Required> = {},
): TypedOption<Value, Required> {
  const listed = choices.map((each) => (typeof each === 'string' ? { value: each } : each))
  return { declaration: { type: 'choice', ...settings, choices: listed } }
}

/** The options as the portal takes them. */
export function listOptions(options: OptionDeclarations): CommandOption[] {
  return Object.entries(options).map(([name, { declaration }]) => ({ name, ...declaration }))
}

/** Such as `<service> [count]`. */
export function usageOf(options: readonly CommandOption[]): string {
  return options.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ')
}
