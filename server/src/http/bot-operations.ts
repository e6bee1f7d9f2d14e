import type { Operation } from '@portico/contract'
import { operations } from '../app.ts'

/** The operations that a key can call. */
export const botOperations: readonly (readonly [name: string, operation: Operation])[] = [...operations].filter(
  ([, { by }]) => by === 'bot' || by === 'member',
)
