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
import type { Services } from './services.ts'
import { chain, type MaybePromise } from '../db/maybe-promise.ts'
import { run, runReading, type CallOptions, type Outcome, type Tx } from './transaction.ts'

/** Carries out an operation in one transaction, in the place that the contract names, with the services that it names. */
export type Handler<O extends Operation> = (
  tx: Tx,
  input: Input<O> & Attached<O>,
  place: PlaceOf<O extends { access: infer A } ? A : undefined>,
  services: Services,
) => MaybePromise<Output<O>>

/** The picture that came with the request, made anew: the only form in which an operation meets one. */
export type Attached<O extends Operation> = O extends { takes: 'picture' } ? { readonly picture: Buffer } : unknown

/** For the few operations with work between their statements that must not hold a connection: hashing a password. */
export interface Outside<O extends Operation> {
  readonly outside: (services: Services, actor: Actor, input: Input<O>) => Promise<Performed<Output<O>>>
}

export interface Performed<T> extends Outcome<T> {
  /** The cookie by which this browser is recognised when the person signs in again. */
  readonly device?: string
}

export type Performer<O extends Operation> = Handler<O> | Outside<O>

export type AnyPerformer = Performer<Operation & { output: Answer }>

/** By the name of their operation. */
export type Handlers = Readonly<Record<string, AnyPerformer>>

export interface PerformOptions extends CallOptions {
  /** Read when the actor was let in. */
  readonly foreseen?: ForeseenPlace
}

export function perform(
  services: Services,
  actor: Actor,
  operation: Operation,
  performer: AnyPerformer,
  input: Record<string, unknown>,
  options: PerformOptions = {},
): MaybePromise<Performed<unknown>> {
  if ('outside' in performer) return performer.outside(services, actor, input)
  const { access } = operation
  if (access?.exclusive) {
    const inPlace = async (tx: Tx) => performer(tx, input, (await accessPlace(tx, input, access)) as never, services)
    return run(services, actor, inPlace, options)
  }
  let { foreseen } = options
  let place: ChannelPlace | RoomPlace | undefined
  const look = (): MaybePromise<void> => {
    if (!access) return
    return chain(findPlace(services, actor, input, access, foreseen), (found) => {
      place = found
      // It has been overtaken by the time of a second look.
      foreseen = undefined
    })
  }
  const work = (tx: Tx) => performer(tx, input, place as never, services)
  if (!operation.at.startsWith('GET ')) return run(services, actor, work, { ...options, before: look })
  return chain(look(), () => runReading(services, actor, work))
}
