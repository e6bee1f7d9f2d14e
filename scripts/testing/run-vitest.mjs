import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runChild } from '../bootstrap/child.mjs'
import { hasCode } from '../bootstrap/fingerprint.mjs'
import { environmentWith } from '../bootstrap/npm.mjs'
import { compiled, inRoot, root } from '../bootstrap/paths.mjs'
import { Interrupted } from '../bootstrap/problem.mjs'
import { checkBudget } from './budget.mjs'
import { makeRunFolder, removeRunFolder, sweepAbandonedRuns } from './run-folder.mjs'
import { keepTimes, printSlowest, readRunTimes } from './test-times.mjs'

/** @typedef {'passed' | 'failed' | 'pending' | 'skipped' | 'todo' | 'disabled'} Status */
/** @typedef {{ fullName: string, status: Status }} Assertion */
/** @typedef {{ name: string, status: 'passed' | 'failed', assertionResults: Assertion[] }} File */

/**
 * @param {string} node
 * @param {{ args: string[], chromium: string | undefined, scope: 'one node' | 'all' | 'filtered' }} options `one node`: without tests
 *   that need a cluster, LiveKit, Firefox or another runtime; `filtered`: those that the arguments select, whatever they need
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runVitest(node, { args, chromium, scope }) {
  await sweepAbandonedRuns()
  const folder = makeRunFolder()
  try {
    const results = join(folder, 'results.json')
    const times = join(folder, 'times.json')
    const reporters = [
      '--reporter=default',
      `--reporter=${inRoot('scripts', 'testing', 'failure-reporter.mjs')}`,
      `--reporter=${inRoot('scripts', 'testing', 'times-reporter.mjs')}`,
      '--reporter=json',
      `--outputFile.json=${results}`,
    ]
    const { exitCode, stoppedBy } = await runChild(
      node,
      [inRoot('node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args],
      {
        cwd: root,
        env: {
          ...environmentWith(node),
          PORTICO_CHROMIUM: chromium,
          PORTICO_TEST_ALL: scope === 'one node' ? '0' : '1',
          PORTICO_TEST_TIMES: times,
          // Tests start the program many times; with a compile cache it starts in half the time.
          NODE_COMPILE_CACHE: compiled,
          TMPDIR: folder,
        },
        show: true,
      },
    )
    if (stoppedBy) throw new Interrupted(stoppedBy)
    const run = readRunTimes(times)
    keepTimes(run)
    printSlowest(run)
    const tally = count(readResults(results), exitCode)
    const over = scope === 'filtered' ? [] : checkBudget(run)
    // Only the run of all tests fails: CI measures on one kind of machine.
    return scope === 'all' ? { ...tally, failed: [...tally.failed, ...over] } : tally
  } finally {
    await removeRunFolder(folder)
  }
}

/**
 * @param {string} path
 * @returns {File[]}
 */
function readResults(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults ?? []
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/**
 * A file that couldn't be loaded and an error outside of any test count as failures too.
 * @param {File[]} files
 * @param {number} exitCode
 */
function count(files, exitCode) {
  const tests = files.flatMap((file) =>
    file.assertionResults.map((test) => ({ ...test, name: `${relative(root, file.name)}: ${test.fullName}` })),
  )
  const names = (/** @type {Status[]} */ ...statuses) =>
    tests.filter((test) => statuses.includes(test.status)).map((test) => test.name)

  const failed = names('failed')
  for (const { name, status, assertionResults } of files)
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed'))
      failed.push(relative(root, name))
  if (exitCode !== 0 && failed.length === 0) failed.push(`vitest (exit code ${exitCode}, see its output)`)

  return {
    passed: names('passed').length,
    failed,
    skipped: names('pending', 'skipped', 'todo', 'disabled'),
  }
}
