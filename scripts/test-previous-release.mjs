#!/usr/bin/env node
// Runs the conformance tests of the previous release with the migrations of this version: while nodes are upgraded one by
// one, the previous release serves a database that is already migrated. Another commit can be given instead of the release.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

const [given = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n')[0], ...filters] =
  process.argv.slice(2)
if (!given) {
  console.log('skipped: there is no earlier release in this clone')
} else {
  const folder = mkdtempSync(join(tmpdir(), 'portico-previous-'))
  git('worktree', 'add', '--force', '--detach', folder, given)
  try {
    cpSync(join(root, 'server/migrations'), join(folder, 'server/migrations'), { recursive: true })
    const tests = filters.length > 0 ? filters : ['server/test/conformance']
    console.log(`running the tests of ${given} with the migrations of this version`)
    process.exitCode = spawnSync('npm', ['test', '--', ...tests], { cwd: folder, stdio: 'inherit' }).status ?? 1
  } finally {
    git('worktree', 'remove', '--force', folder)
    rmSync(folder, { recursive: true, force: true })
  }
}
