/** @typedef {{ passed: number, failed: string[], skipped: string[] }} Tally */

/** @type {Tally} */
export const nothing = { passed: 0, failed: [], skipped: [] }

/**
 * @param {Tally[]} tallies
 * @returns {Tally}
 */
export function sum(...tallies) {
  return {
    passed: tallies.reduce((count, tally) => count + tally.passed, 0),
    failed: tallies.flatMap((tally) => tally.failed),
    skipped: tallies.flatMap((tally) => tally.skipped),
  }
}

/**
 * The last lines of a run. A run of nothing is a failure.
 * @param {Tally} tally
 * @returns {number} the exit code
 */
export function conclude({ passed, failed, skipped }) {
  console.log()
  for (const name of failed) console.log(`✗ ${name}`)
  for (const name of skipped) console.log(`- skipped: ${name}`)
  if (passed + failed.length === 0) console.log('Nothing was run.')
  const counts = [`${passed} passed`, `${failed.length} failed`]
  if (skipped.length > 0) counts.push(`${skipped.length} skipped`)
  console.log(counts.join(', '))
  return failed.length > 0 || passed === 0 ? 1 : 0
}
