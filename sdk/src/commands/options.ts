import type { CommandOption } from '../client/resources.ts'
import type { OptionValue } from './parse-options.ts'

/** An option of a command, as `string`, `integer` and the like make it. */
export interface TypedOption<Value extends OptionValue = OptionValue, Required extends boolean = boolean> {
  readonly declaration: Omit<CommandOption, 'name'>
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

export interface BoundedSettings<Required extends boolean> extends OptionSettings<Required> {
  readonly min?: number
  readonly max?: number
}

/** Text, of `min` to `max` characters. As the last option it takes the rest of the line. */
export function string<Required extends boolean = false>(
  settings: BoundedSettings<Required> = {},
): TypedOption<string, Required> {
  return { declaration: { type: 'string', ...settings } }
}

/** A whole number from `min` to `max`. */
export function integer<Required extends boolean = false>(
  settings: BoundedSettings<Required> = {},
): TypedOption<number, Required> {
  return { declaration: { type: 'integer', ...settings } }
}

/** A number from `min` to `max`. */
export function number<Required extends boolean = false>(
  settings: BoundedSettings<Required> = {},
): TypedOption<number, Required> {
  return { declaration: { type: 'number', ...settings } }
}

/** Yes or no. */
export function boolean<Required extends boolean = false>(
  settings: OptionSettings<Required> = {},
): TypedOption<boolean, Required> {
  return { declaration: { type: 'boolean', ...settings } }
}

/** A member of the channel, whom people mention. The value is the id. */
export function member<Required extends boolean = false>(
  settings: OptionSettings<Required> = {},
): TypedOption<string, Required> {
  return { declaration: { type: 'member', ...settings } }
}

/** A room of the channel, such as `#general`. The value is the id. */
export function room<Required extends boolean = false>(
  settings: OptionSettings<Required> = {},
): TypedOption<string, Required> {
  return { declaration: { type: 'room', ...settings } }
}

/** A role of the channel, which people mention. The value is the id. */
export function role<Required extends boolean = false>(
  settings: OptionSettings<Required> = {},
): TypedOption<string, Required> {
  return { declaration: { type: 'role', ...settings } }
}

/** One of up to 25 values, with labels for people if they are given: `choice(['staging', { value: 'live', label: 'Production' }])`. */
export function choice<const Value extends string, Required extends boolean = false>(
  choices: readonly (Value | { readonly value: Value; readonly label?: string })[],
  settings: OptionSettings<Required> = {},
): TypedOption<Value, Required> {
  const listed = choices.map((each) => (typeof each === 'string' ? { value: each } : each))
  return { declaration: { type: 'choice', ...settings, choices: listed } }
}

/** The options as the portal takes them, with their fields always in the same order. */
export function listOptions(options: OptionDeclarations): CommandOption[] {
  return Object.entries(options).map(([name, { declaration }]) => inOrder({ name, ...declaration }))
}

/** The database of the portal has an order of its own. */
export function inOrder({ name, type, description, required, min, max, choices }: CommandOption): CommandOption {
  return {
    name,
    type,
    ...(description !== undefined && { description }),
    ...(required && { required }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(choices && { choices: choices.map(({ value, label }) => ({ value, ...(label !== undefined && { label }) })) }),
  }
}

/** Such as `<service> [count]`. */
export function usageOf(options: readonly CommandOption[]): string {
  return options.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ')
}
