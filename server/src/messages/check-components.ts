import type { Component } from '@portico/contract'

/** Why something that has the form of a component isn't one; undefined if it is. */
export function checkComponent({ type, style, options }: Component): string | undefined {
  if (type === 'button') return options ? 'must have options only if it is a select' : undefined
  if (style !== undefined) return 'must have a style only if it is a button'
  if (!options) return 'must have options'
  return areUnique(options.map(({ value }) => value)) ? undefined : 'must have options with different values'
}

/** Why a message can't have these components together; undefined if it can. */
export function checkComponents(components: readonly Component[]): string | undefined {
  return areUnique(components.map(({ id }) => id)) ? undefined : 'must have different ids'
}

function areUnique(ids: readonly string[]): boolean {
  return new Set(ids).size === ids.length
}
