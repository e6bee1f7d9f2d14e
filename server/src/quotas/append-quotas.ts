import { STREAM_LIMITS } from '@portico/contract'
import { SecondWindows } from './second-windows.ts'

declare module '../operations/services.ts' {
  interface Services {
    readonly appendQuotas: AppendQuotas
  }
}

/**
 * How often something is appended to messages that bots write: a quota for each message, and one for the application, whatever
 * messages it names.
 */
export class AppendQuotas {
  readonly #windows: SecondWindows

  /** In milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#windows = new SecondWindows(clock)
  }

  /** Counts an append and returns how many are left, in this second; undefined: it is refused. */
  take(applicationId: string, messageId: string): number | undefined {
    const { appends, atOnce } = STREAM_LIMITS
    return this.#windows.take([`${applicationId} ${messageId}`, appends], [applicationId, appends * atOnce])
  }
}
