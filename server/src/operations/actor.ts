import type { Scope, UserScope } from '@portico/contract'

/** Who calls an operation. The request log and the audit log name them. */
export type Actor = Person | Bot | User | Program | System | Nobody

export interface Person {
  readonly kind: 'person'
  readonly id: string
  readonly name: string
  readonly avatar: string
  readonly avatarVersion: number
  readonly sessionId: string
  readonly isAdministrator: boolean
}

export interface Bot {
  readonly kind: 'bot'
  /** The bot's account, which is the member of channels. */
  readonly id: string
  readonly name: string
  readonly avatar: string
  readonly avatarVersion: number
  readonly applicationId: string
  /** Of the key that authenticated it. */
  readonly keyHash: Buffer
  readonly scopes: readonly Scope[]
}

/** A website that acts for a person who signed in to it, within the scopes that they allowed. */
export interface User {
  readonly kind: 'user'
  readonly id: string
  readonly name: string
  readonly avatar: string
  readonly avatarVersion: number
  readonly applicationId: string
  readonly scopes: readonly UserScope[]
}

/** A program that broadcasts as a person, with their stream key for one room. */
export interface Program {
  readonly kind: 'program'
  /** The person. */
  readonly id: string
  readonly name: string
}

/** Portico itself: timers and the command line. */
export interface System {
  readonly kind: 'system'
}

/** Someone who has not signed in. */
export interface Nobody {
  readonly kind: 'nobody'
  readonly address: string
  readonly device: string
  /** From an earlier sign-in with this browser, see `accounts/known-device.ts`. */
  readonly deviceToken?: string | undefined
  /** From the session cookie, unchecked. Its session has usually ended, or there never was one. */
  readonly sessionToken?: string | undefined
}

export const system: System = { kind: 'system' }

/** Only people and bots are members. */
export function memberOf(actor: Actor): Person | Bot {
  if (actor.kind !== 'person' && actor.kind !== 'bot') throw new Error('only people and bots act as members')
  return actor
}

/** A member as others see them. */
export function authorOf(actor: Actor): { id: string; name: string } {
  const { id, name } = memberOf(actor)
  return { id, name }
}
