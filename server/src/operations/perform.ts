import type { Answer, Input, Operation, Output } from '@portico/contract'
import type { Actor } from './actor.ts'
import { authorize, type Caller, type Place, type PlaceOf } from './authorize.ts'
import type { Services } from './services.ts'
import { run, runReading, type CallOptions, type Outcome, type Tx } from './transaction.ts'

/** Carries out an operation in one transaction, in the place that the contract names, with the services that it names. */
export type Handler<O extends Operation> = (
  tx: Tx,
  input: Input<O> & Attached<O>,
  place: PlaceOf<O extends { access: infer A } ? A : undefined>,
  services: Services,
) => Promise<Output<O>>

/**
 * For a picture, the name of the stored file, which is the picture re-encoded. Operations never see the bytes that were
 * uploaded.
 */
export type Attached<O extends Operation> = O extends { takes: 'picture' }
  ? { readonly picture: string }
  : O extends { takes: 'file' }
    ? { readonly file: ReceivedFile }
    : unknown

/** An upload whose content is stored. Unless the operation succeeds, nothing refers to it, and it expires. */
export interface ReceivedFile {
  readonly id: string
  /** Found out from the content. */
  readonly type: string
  /** The name of the stored file. */
  readonly file: string
  /** The name of the stored preview, if it is a picture. */
  readonly preview?: string
  readonly width?: number
  readonly height?: number
  /** With the preview. */
  readonly storedBytes: number
}

/** For operations with slow work between their statements, such as hashing a password: it must not hold a connection. */
export interface OwnTransactions<O extends Operation> {
  readonly ownTransactions: (services: Services, actor: Actor, input: Input<O>) => Promise<HandlerOutcome<Output<O>>>
}

export interface HandlerOutcome<T> extends Outcome<T> {
  /** The cookie by which this browser is recognized when the person signs in again. */
  readonly device?: string
}

export type OperationHandler<O extends Operation> = Handler<O> | OwnTransactions<O>

export type AnyHandler = OperationHandler<Operation & { output: Answer }>

/** By the name of their operation. */
export type Handlers = Readonly<Record<string, AnyHandler>>

export async function perform(
  services: Services,
  caller: Caller,
  operation: Operation,
  handler: AnyHandler,
  input: Record<string, unknown>,
  options: CallOptions = {},
): Promise<HandlerOutcome<unknown>> {
  const { actor } = caller
  if ('ownTransactions' in handler) return handler.ownTransactions(services, actor, input)
  const { access } = operation
  if (access?.exclusive) {
    const inPlace = async (tx: Tx) => {
      const place = await authorize(services, actor, input, access, { tx })
      return handler(tx, input, place as never, services)
    }
    return run(services, actor, inPlace, options)
  }
  let { lookAhead } = caller
  let place: Place | undefined
  const findPlace = async (): Promise<void> => {
    place = access && (await authorize(services, actor, input, access, { lookAhead }))
    // The second attempt of a transaction reads the place again.
    lookAhead = undefined
  }
  const work = (tx: Tx) => handler(tx, input, place as never, services)
  if (!operation.at.startsWith('GET ')) return run(services, actor, work, { ...options, before: findPlace })
  if (access) await findPlace()
  return runReading(services, actor, work)
}
