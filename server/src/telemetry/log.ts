import { pino, type Logger } from 'pino'
import type { Config } from '../config/config.ts'

export type Log = Logger

/** Fields that could carry a secret, wherever they turn up in a logged object. */
const SECRET_FIELDS = ['password', 'currentPassword', 'newPassword', 'secret', 'token', 'key', 'clientSecret']

const paths = [
  ...SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
  // Of codes only those that open something: the code of an error is what one looks for.
  'code',
  'input.code',
  'body.code',
  '*.headers.authorization',
  '*.headers.cookie',
  'headers.authorization',
  'headers.cookie',
]

export function openLog(config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>): Log {
  const pretty = config.LOG_FORMAT === 'pretty' || (config.LOG_FORMAT === 'auto' && process.stdout.isTTY)
  return pino({
    level: config.LOG_LEVEL,
    redact: { paths, censor: '(hidden)' },
    serializers: { err: plainError },
    ...(pretty && {
      transport: { target: 'pino-pretty', options: { translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' } },
    }),
  })
}

/** Faults of libraries carry connections and settings along; what we log of them is what they say. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? { code: error.code } : {}
  const cause = error.cause === undefined ? {} : { cause: plainError(error.cause) }
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}
