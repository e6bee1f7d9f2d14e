import { execFileSync } from 'node:child_process'
import { root } from '../bootstrap/paths.mjs'
import { Problem } from '../bootstrap/problem.mjs'
import { affectedTests } from './affected-tests.mjs'

const BRANCHES = ['main', 'origin/main']

/**
 * The tests that a change since `main` can affect, committed or not, as filters for vitest.
 * @returns {string[]}
 */
export function changedTests() {
  const base = BRANCHES.map(mergeBase).find(Boolean)
  if (!base) throw new Problem('git knows no branch main to compare with.', 'Fetch it, or name the tests to run.')
  const changed = [...lines('diff', '--name-only', base), ...lines('ls-files', '--others', '--exclude-standard')]
  return affectedTests(changed)
}

/** @param {string} branch */
function mergeBase(branch) {
  try {
    return lines('merge-base', branch, 'HEAD')[0]
  } catch {
    return undefined
  }
}

/** @param {string[]} args */
function lines(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).split('\n').filter(Boolean)
}
