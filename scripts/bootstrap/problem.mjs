import { writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { cache } from './paths.mjs'

/** Something the user can fix: `message` says what happened, `advice` what to do. */
export class Problem extends Error {
  /**
   * @param {string} message
   * @param {string} advice
   * @param {string} [output] what the failed program said
   */
  constructor(message, advice, output = '') {
    super(message)
    this.advice = advice
    this.output = output
  }
}

/** A signal ended a step; `exitCode` is what a shell expects then. */
export class Interrupted extends Error {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`Interrupted by ${signal}`)
    this.exitCode = 128 + constants.signals[signal]
  }
}

/**
 * Prints what went wrong and returns the exit code. Any other error is a bug and keeps its stack.
 * @param {unknown} error
 */
export function report(error) {
  if (error instanceof Interrupted) return error.exitCode
  if (!(error instanceof Problem)) throw error
  if (error.output.trim()) console.error(`\n${shorten(error.output.trim())}`)
  console.error(`\n${error.message}\n${error.advice}`)
  return 1
}

/**
 * The reason is nearly always at the end; the complete output is written to a file.
 * @param {string} output
 */
function shorten(output) {
  const lines = output.split('\n')
  if (lines.length <= 40) return output
  const file = join(cache, 'failed-step.log')
  writeFileSync(file, output)
  return [`(${lines.length} lines in all, see ${file})`, ...lines.slice(-30)].join('\n')
}
