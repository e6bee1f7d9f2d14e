import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { runChild } from '../bootstrap/child.mjs'
import { hasCode } from '../bootstrap/fingerprint.mjs'
import { environmentWith } from '../bootstrap/npm.mjs'
import { inRoot, root } from '../bootstrap/paths.mjs'
import { Interrupted } from '../bootstrap/problem.mjs'

/** @typedef {{ fullName: string, status: 'passed' | 'failed' | 'pending' | 'skipped' | 'todo' | 'disabled' }} Assertion */
/** @typedef {{ name: string, status: 'passed' | 'failed', assertionResults: Assertion[] }} File */

/**
 * @param {string} node
 * @param {{ args: string[], chromium: string | undefined }} options
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runVitest(node, { args, chromium }) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-test-'))
  try {
    const results = join(folder, 'results.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
    const { exitCode, stoppedBy } = await runChild(
      node,
      [inRoot('node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args],
      {
        cwd: root,
        env: { ...environmentWith(node), PORTICO_CHROMIUM: chromium },
        show: true,
      },
    )
    if (stoppedBy) throw new Interrupted(stoppedBy)
    return count(readResults(results), exitCode)
  } finally {
    rmSync(folder, { recursive: true, force: true })
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
 * A file that could not be loaded, and an error outside of any test, are failures too, though no test has their name.
 * @param {File[]} files
 * @param {number} exitCode
 */
function count(files, exitCode) {
  const tests = files.flatMap((file) =>
    file.assertionResults.map((test) => ({ ...test, file: relative(root, file.name) })),
  )
  const names = (/** @type {Assertion['status'][]} */ ...statuses) =>
    tests.filter((test) => statuses.includes(test.status)).map((test) => `${test.file}: ${test.fullName}`)

  const failed = names('failed')
  for (const { name, status, assertionResults } of files)
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed'))
      failed.push(relative(root, name))
  if (exitCode !== 0 && failed.length === 0) failed.push(`vitest (exit code ${exitCode}, see its output)`)

  return { passed: names('passed').length, failed, skipped: names('pending', 'skipped', 'todo', 'disabled') }
}
