import { pino } from 'pino'

/** Swallows what a program would log. */
export const silentLog = pino({ level: 'silent' })
