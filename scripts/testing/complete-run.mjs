import { readFileSync } from 'node:fs'

/**
 * Patterns of the test files that only the complete run has (PORTICO_TEST_ALL=1, as in CI), by what they add. The others show each
 * part of the portal once, in ten minutes on two cores.
 * @type {Record<string, string[]>}
 */
export const onlyInCompleteRun = JSON.parse(readFileSync(new URL('complete-run.json', import.meta.url), 'utf8'))

/** What a run that isn't complete says at its end. */
export function printLeftOut() {
  console.log('\nNot run without PORTICO_TEST_ALL=1:')
  for (const [what, patterns] of Object.entries(onlyInCompleteRun)) console.log(`- ${what}: ${patterns.join(', ')}`)
  console.log('- tests of clusters, LiveKit, Firefox and other runtimes')
}
