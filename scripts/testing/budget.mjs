import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** @typedef {import('./times-reporter.mjs').RunTimes} RunTimes */

/** What an area may take beyond its budget before the run fails: times differ between runs. */
const TOLERANCE = 4 / 3

/** Processor seconds of the reference work on the machine that the budgets were measured on. */
const REFERENCE = 0.0125

/**
 * Prints how many minutes of processor time each area of the tests took, and which it may take (`budget.json`). The
 * reference work between the tests says how fast the processors were meanwhile: the minutes are those of the machine that the
 * budgets were measured on.
 * @param {RunTimes} run
 * @returns {string[]} what is over its budget
 */
export function checkBudget({ files }) {
  if (files.every(({ cpuSeconds }) => cpuSeconds === undefined)) return []
  /** @type {Map<string, number>} */
  const spent = new Map()
  const add = (/** @type {string} */ area, /** @type {number} */ seconds) =>
    spent.set(area, (spent.get(area) ?? 0) + seconds / 60)
  const slowness = median(files.map(({ referenceSeconds }) => referenceSeconds)) / REFERENCE
  for (const file of files) add(areaOf(file), (file.cpuSeconds ?? 0) / slowness)

  console.log(
    `\nMinutes of processor time by area, on processors ${slowness.toFixed(2)} times as slow as the budget’s:`,
  )
  /** @type {string[]} */
  const over = []
  for (const [area, minutes] of spent) {
    const budget = budgetOf(area)
    console.log(`${minutes.toFixed(1).padStart(6)} of ${budget}  ${area}`)
    if (minutes > budget * TOLERANCE)
      over.push(`the tests of ${area} took ${minutes.toFixed(1)} minutes, and their budget is ${budget}`)
  }
  return over
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}

/** @param {import('./times-reporter.mjs').FileTime} file */
function areaOf({ project, file }) {
  if (project !== 'one node') return project
  return file.startsWith('e2e/') ? 'browser' : 'server'
}

/** @param {string} area */
function budgetOf(area) {
  const path = fileURLToPath(new URL('budget.json', import.meta.url))
  const budget = JSON.parse(readFileSync(path, 'utf8'))[area]
  if (typeof budget !== 'number') throw new Error(`${path} has no budget for ${area}`)
  return budget
}
