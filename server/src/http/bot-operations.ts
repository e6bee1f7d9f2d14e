import { operations, type Operation } from '@portico/contract'

/** The operations that a key can call. */
export const botOperations: readonly (readonly [name: string, operation: Operation])[] = [...operations].filter(
  ([, { by }]) => by === 'bot' || by === 'member',
)

/** The operations that a website can call with the token of a person who signed in to it. */
export const userOperations: readonly (readonly [name: string, operation: Operation])[] = [...operations].filter(
  ([, { by }]) => by === 'user',
)
