/**
 * What SvelteKit needs of devalue in a browser. It writes page state down with it, so that dates and maps survive, and
 * reads data of a server-side `load` with it. Ours is plain JSON, and no page has a server-side `load`.
 */
export const stringify = (value: unknown): string => JSON.stringify(value)
export const parse = (text: string): unknown => JSON.parse(text)

export const stringifyAsync = needsDevalue
export const unflatten = needsDevalue
export const uneval = needsDevalue

function needsDevalue(): never {
  throw new Error('Only plain page state is kept: see tooling/plain-values.ts')
}
