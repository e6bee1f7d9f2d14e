/**
 * Whether tests run that need more than one node, one PostgreSQL and one browser: clusters, LiveKit, Firefox, other runtimes.
 * A plain `npm test` lists them as skipped.
 */
export const isFullRun = process.env['PORTICO_TEST_ALL'] !== '0'
