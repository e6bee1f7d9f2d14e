import { pino } from 'pino'

/** Discards all log lines. */
export const silentLog = pino({ level: 'silent' })
