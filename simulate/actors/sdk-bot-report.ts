import type { BotProcess, Call, Handled, Lost, Return } from '../history/history.ts'
import type { OperationName } from '../history/operations.ts'

type Without<E, Keys extends string> = E extends unknown ? Omit<E, Keys> : never

/** What the process of a bot reports, one JSON object a line. The bot’s name and the number of the process are added later. */
export type Report =
  | (Without<Call, 'actor' | 'operation'> & { readonly operation: OperationName })
  | Return
  | Lost
  | Without<Handled, 'actor' | 'process'>
  | Without<BotProcess, 'actor' | 'process'>

/** Where the bot runs and how it gets its events. */
export interface SdkBotSettings {
  readonly name: string
  readonly url: string
  readonly key: string
  /** With a certificate, the bot receives a webhook at this port; otherwise it opens a stream and stores its position here. */
  readonly folder: string
  readonly webhook?: { readonly port: number; readonly key: string; readonly cert: string; readonly secret: string }
  readonly seed: string
  /** The folder of the source code that is tested. */
  readonly checkout: string
}
