import { pino } from 'pino'

/** Swallows what a program would log. */
export const quiet = pino({ level: 'silent' })
