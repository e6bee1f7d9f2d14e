import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasCode } from '../bootstrap/fingerprint.mjs'
import { cache } from '../bootstrap/paths.mjs'

/** @typedef {import('./times-reporter.mjs').FileTime} FileTime */
/** @typedef {import('./times-reporter.mjs').RunTimes} RunTimes */
/** @typedef {Record<string, Record<string, { seconds: number, cpuSeconds?: number }>>} TestTimes by project and file */

/** The times of the last run of each test file. `longest-first.ts` orders the files by them. */
const LAST_TIMES = join(cache, 'test-times.json')
/** How many files are listed as the slowest ones. */
const LISTED = 20

/**
 * @param {string} path
 * @returns {RunTimes}
 */
export function readRunTimes(path) {
  return readJson(path) ?? { files: [] }
}

/**
 * Adds the times of a run to those of earlier runs.
 * @param {RunTimes} run
 */
export function keepTimes({ files }) {
  if (files.length === 0) return
  /** @type {TestTimes} */
  const times = readJson(LAST_TIMES) ?? {}
  for (const { project, file, seconds, cpuSeconds } of files) {
    const rounded = { seconds: round(seconds), ...(cpuSeconds !== undefined && { cpuSeconds: round(cpuSeconds) }) }
    times[project] = { ...times[project], [file]: rounded }
  }
  mkdirSync(dirname(LAST_TIMES), { recursive: true })
  writeFileSync(LAST_TIMES, `${JSON.stringify(times, null, 2)}\n`)
}

/**
 * Prints the slowest files, and which share of their time neither they nor the programs they started used the processor.
 * @param {RunTimes} run
 */
export function printSlowest({ files }) {
  if (files.length < LISTED) return
  console.log(`\nThe ${LISTED} slowest test files, and the share of their time that was waiting:`)
  for (const { project, file, seconds, cpuSeconds } of [...files]
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, LISTED)) {
    const waiting = cpuSeconds === undefined ? '' : `${Math.round(100 * Math.max(0, 1 - cpuSeconds / seconds))}%`
    console.log(`${seconds.toFixed(0).padStart(5)} s ${waiting.padStart(4)}  ${file} (${project})`)
  }
}

/** @param {number} seconds */
function round(seconds) {
  return Math.round(seconds * 10) / 10
}

/** @param {string} path */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
