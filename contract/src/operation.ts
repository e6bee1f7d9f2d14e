import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import type { RefusalName } from './refusals.ts'
import type { Right } from './rights.ts'
import type { Scope, UserScope } from './scopes.ts'

/**
 * Who may call: a signed-in person, an application's bot, either of them as a member, a website with the token of a
 * person who signed in to it (`user`), the portal's operators, or anyone.
 */
export type Caller = 'anyone' | 'person' | 'administrator' | 'bot' | 'member' | 'user'

export type RoomType = 'text' | 'voice' | 'stream'

/**
 * The place an operation acts in and the right it takes. The server loads the place and checks the right before the
 * operation runs: an operation that declares `room` receives that room and can't get another one.
 */
export interface Access {
  readonly channel?: true
  readonly room?: readonly RoomType[]
  /** Further types of room in which people can do it but bots can't. */
  readonly roomOfPeople?: readonly RoomType[]
  readonly right?: Right
  /** Such changes to a channel are serialized: what one of them has checked stays true until it commits. */
  readonly exclusive?: true
}

/** `write`: in addition to the quota of requests. `append` and `suggest`: instead of it. */
export type Quota = 'write' | 'append' | 'suggest'

export interface Answer<S extends TSchema = TSchema> {
  readonly status: 200 | 201 | 204
  readonly schema: S
  /** The response is 201 instead if the call created something. */
  readonly orCreated?: true
  /** The response is 204 instead of a refusal if nobody is signed in. */
  readonly orSignedOut?: true
  /** Streamed as a file of this name, for responses of any length. */
  readonly file?: string
}

export interface Operation {
  /** Method and path below the API's base path, path parameters with a colon. */
  readonly at: string
  readonly summary: string
  readonly description?: string
  readonly by: Caller
  /** On the bot API: the scope a key needs. Absent if any key works. */
  readonly scope?: Scope
  /** The scope that a user token needs. */
  readonly userScope?: UserScope
  readonly quota?: Quota
  readonly access?: Access
  /** A right that the operation checks itself, because the place alone doesn't decide it. */
  readonly judges?: Right
  /** The types of room that what it is about can be in, if the request names only the channel. The right counts there. */
  readonly judgesIn?: readonly RoomType[]
  /** The errors a bot can get, beyond those that follow from scope, place and right. */
  readonly refusals?: readonly RefusalName[]
  /** The body is a picture or any other file, not JSON; the rest of the input is in the path and the query. */
  readonly takes?: 'picture' | 'file'
  readonly input: TObject
  readonly output: Answer
  /** The same call with the same `Idempotency-Key` header is carried out once. */
  readonly idempotent?: true
}

export type Input<O extends { input: TSchema }> = Static<O['input']>
export type Output<O extends { output: Answer }> =
  | Static<O['output']['schema']>
  | (O['output'] extends { orSignedOut: true } ? null : never)

export function operation<const O extends Operation>(definition: O): O {
  return definition
}

export function ok<S extends TSchema>(schema: S): Answer<S> & { readonly status: 200 } {
  return { status: 200, schema }
}

export function okOrCreated<S extends TSchema>(schema: S): Answer<S> & { readonly status: 200 } {
  return { status: 200, schema, orCreated: true }
}

/** For what a page asks before it knows whether someone is signed in: browsers log a refusal as an error. */
export function okOrSignedOut<S extends TSchema>(
  schema: S,
): Answer<S> & { readonly status: 200; readonly orSignedOut: true } {
  return { status: 200, schema, orSignedOut: true }
}

export function created<S extends TSchema>(schema: S): Answer<S> & { readonly status: 201 } {
  return { status: 201, schema }
}

/** A JSON file, streamed as chunks of text. */
const Pieces = Type.Unsafe<AsyncIterable<string>>({ type: 'object' })

export function streamed(file: string): Answer<typeof Pieces> & { readonly status: 200 } {
  return { status: 200, schema: Pieces, file }
}

const Nothing = Type.Null()
export const nothing: Answer<typeof Nothing> & { readonly status: 204 } = { status: 204, schema: Nothing }

export const noInput = Type.Object({})

/** Optimistic locking: a change is refused if the object has changed since the caller read it. */
export function seen<P extends TProperties>(properties: P) {
  return Type.Optional(
    Type.Object(properties, {
      description: 'The state that the caller last saw; the request is refused if it has changed since',
    }),
  )
}

export function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'at' in value && 'input' in value && 'output' in value
}
