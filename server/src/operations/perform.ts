import type { Answer, Input, Operation, Output } from '@portico/contract'
import type { Actor } from './actor.ts'
import {
  accessPlace,
  findPlace,
  type ChannelPlace,
  type ForeseenPlace,
  type PlaceOf,
  type RoomPlace,
} from './authorize.ts'
import type { Parts } from './services.ts'
import { soon, type Soon } from './maybe-promise.ts'
import { run, runReading, type CallTerms, type Outcome, type Tx } from './transaction.ts'

/** What carries an operation out: within one transaction, in the place that the contract names. */
export type Handler<O extends Operation> = (
  tx: Tx,
  input: Input<O> & Attached<O>,
  place: PlaceOf<O extends { access: infer A } ? A : undefined>,
) => Soon<Output<O>>

/** The picture that came with the request, made anew: the only form in which an operation meets one. */
export type Attached<O extends Operation> = O extends { takes: 'picture' } ? { readonly picture: Buffer } : unknown

/** For the few operations with work between their statements that must not hold a connection: hashing a password. */
export interface Outside<O extends Operation> {
  readonly outside: (parts: Parts, actor: Actor, input: Input<O>) => Promise<Performed<Output<O>>>
}

export interface Performed<T> extends Outcome<T> {
  /** The cookie by which this browser is recognised when the person signs in again. */
  readonly device?: string
}

export type Performer<O extends Operation> = Handler<O> | Outside<O>

export type AnyPerformer = Performer<Operation & { output: Answer }>

export interface Terms extends CallTerms {
  /** Read when the actor was let in. */
  readonly foreseen?: ForeseenPlace
}

export function perform(
  parts: Parts,
  actor: Actor,
  operation: Operation,
  performer: AnyPerformer,
  input: Record<string, unknown>,
  terms: Terms = {},
): Soon<Performed<unknown>> {
  if ('outside' in performer) return performer.outside(parts, actor, input)
  const { access } = operation
  if (access?.exclusive) {
    const inPlace = async (tx: Tx) => performer(tx, input, (await accessPlace(tx, input, access)) as never)
    return run(parts, actor, inPlace, terms)
  }
  let { foreseen } = terms
  let place: ChannelPlace | RoomPlace | undefined
  const look = (): Soon<void> => {
    if (!access) return
    return soon(findPlace(parts, actor, input, access, foreseen), (found) => {
      place = found
      // It has been overtaken by the time of a second look.
      foreseen = undefined
    })
  }
  const work = (tx: Tx) => performer(tx, input, place as never)
  if (!operation.at.startsWith('GET ')) return run(parts, actor, work, { ...terms, before: look })
  return soon(look(), () => runReading(parts, actor, work))
}
