#!/usr/bin/env node
// Checks a rolling upgrade, in which nodes of the previous version serve a database that this one has already migrated: runs nodes
// of both versions together, and then conformance tests of the previous version with the migrations of this one. Skipped if the
// migrations and what nodes tell each other have not changed since. Another version and other tests of it can be given: node scripts/test-previous-release.mjs v1.0.0 server/test/conformance
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environmentWith, npm } from './bootstrap/npm.mjs'
import { inRoot, root } from './bootstrap/paths.mjs'
import { prepare } from './bootstrap/prepare.mjs'
import { report } from './bootstrap/problem.mjs'
import { runStep } from './bootstrap/step.mjs'
import { previousVersion } from './testing/previous-version.mjs'
import { changedFormats } from './testing/shared-formats.mjs'

/** Those that call every operation, as the ones among all conformance tests that need the least time. */
const TESTS = ['idempotency', 'resources', 'rights', 'routes', 'scopes', 'states', 'users'].map(
  (name) => `server/test/conformance/${name}.test.ts`,
)

const [given, ...tests] = process.argv.slice(2)
const version = given ? { commit: given } : previousVersion(root)
const changed = 'commit' in version ? changedFormats(root, version.commit) : []
if (!('commit' in version)) console.log(`skipped: no rolling upgrade is tested, because ${version.missing}`)
else if (!given && changed.length === 0)
  console.log(`skipped: no rolling upgrade is tested, because no shared format has changed since ${version.commit}`)
else {
  console.log(`testing a rolling upgrade from ${version.commit}, since when these have changed:\n${changed.join('\n')}`)
  await testUpgradeFrom(version.commit).catch((error) => (process.exitCode = report(error)))
}

/** @param {string} commit */
async function testUpgradeFrom(commit) {
  const node = await prepare([], 'all')
  const folder = mkdtempSync(join(tmpdir(), 'portico-previous-'))
  execFileSync('git', ['worktree', 'add', '--force', '--detach', folder, commit], { cwd: root, stdio: 'inherit' })
  try {
    await runStep({
      title: `Installing the dependencies of ${commit}`,
      advice: 'Check the network and the free disk space, and run the command again.',
      cwd: folder,
      ...npm(node, ['ci', '--prefer-offline', '--include=dev', '--include=optional', '--no-audit', '--no-fund']),
    })
    const env = environmentWith(node)
    const together = spawnSync('npm', ['test', '--', 'server/src/events/rolling-upgrade'], {
      cwd: root,
      env: { ...env, PORTICO_TEST_PREVIOUS: folder },
      stdio: 'inherit',
    })

    console.log(`running tests of ${commit} with the migrations of this version`)
    cpSync(inRoot('server/migrations'), join(folder, 'server/migrations'), { recursive: true })
    const found = tests.length > 0 ? tests : TESTS.filter((path) => existsSync(join(folder, path)))
    // Without building its portal, which `npm test` does and these tests don't need.
    const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
    const alone = spawnSync(node, [vitest, 'run', '--project', '!cluster', ...found], {
      cwd: folder,
      env,
      stdio: 'inherit',
    })
    process.exitCode = together.status || alone.status || ((together.signal ?? alone.signal) ? 1 : 0)
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: root })
    rmSync(folder, { recursive: true, force: true })
  }
}
