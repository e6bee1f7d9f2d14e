import { isInRequest } from '../db/deadline.ts'
import type { Log } from '../telemetry/log.ts'

/**
 * Nothing that a request does ends the process, and with it everyone's connections: what it throws where nobody catches it is
 * logged, and its deadline answers it if nothing else does. A rejection that nobody handles is only logged, wherever it comes from.
 * An exception outside of a request ends the process, which may be broken. Returns how to stop this.
 */
export function surviveFailures(log: Log): () => void {
  const onRejection = (err: unknown): void => log.error({ err }, 'unhandled rejection')
  const onException = (err: unknown): void => {
    if (isInRequest()) return log.error({ err }, 'uncaught exception in a request')
    log.fatal({ err }, 'uncaught exception; stopping')
    process.stderr.write(`${err instanceof Error ? err.stack : String(err)}\n`)
    process.exit(1)
  }
  process.on('unhandledRejection', onRejection)
  process.on('uncaughtException', onException)
  return () => {
    process.off('unhandledRejection', onRejection)
    process.off('uncaughtException', onException)
  }
}
