/**
 * The part of devalue that SvelteKit's client uses. It serializes page state with it, so that dates and maps survive,
 * and parses the data of server-side `load` functions. The portal's page state is JSON, and no page has such a function.
 */
export const stringify = (value: unknown): string => JSON.stringify(value)
export const parse = (text: string): unknown => JSON.parse(text)

export const stringifyAsync = needsDevalue
export const unflatten = needsDevalue
export const uneval = needsDevalue

function needsDevalue(): never {
  throw new Error('Only JSON is supported: see portal/tooling/plain-values.ts')
}
