import { portalBuild, sdkBuild } from '../bootstrap/builds.mjs'
import { inRoot } from '../bootstrap/paths.mjs'
import { prepare } from '../bootstrap/prepare.mjs'
import { report } from '../bootstrap/problem.mjs'
import { runStep } from '../bootstrap/step.mjs'
import { changedTests } from './changed-tests.mjs'
import { provideChromium } from './chromium.mjs'
import { checks } from './checks.mjs'
import { printLeftOut } from './complete-run.mjs'
import { runChecks } from './run-checks.mjs'
import { runVitest } from './run-vitest.mjs'
import { conclude, nothing, sum } from './tally.mjs'

/**
 * What svelte-check reads. A build generates it too, but installing the dependencies again removes it.
 * @param {string} node
 */
function generateTypes(node) {
  return runStep({
    title: 'Generating the types of the portal',
    advice: 'If you changed something in portal/, fix the error above; otherwise report this.',
    cwd: inRoot('portal'),
    file: node,
    args: [inRoot('node_modules', '@sveltejs', 'kit', 'svelte-kit.js'), 'sync'],
  })
}

/**
 * `npm test` runs the checks, and the tests that show each part of the portal on one node; with PORTICO_TEST_ALL=1, all tests.
 * `npm test -- --static` runs the static checks, `npm test -- --changed` the tests that a change since `main` can affect, and
 * `npm test -- <filter>` the tests that vitest finds by it.
 * @param {string[]} args
 */
export async function main(args) {
  const onlyStatic = args.includes('--static')
  const onlyTests = !onlyStatic && args.length > 0
  const scope = onlyTests ? 'filtered' : process.env.PORTICO_TEST_ALL === '1' ? 'all' : 'one node'
  try {
    const filters = args.flatMap((arg) => (arg === '--changed' ? changedTests() : [arg]))
    if (onlyTests && filters.length === 0) {
      console.log('No test can be affected by the changes since main.')
      return
    }
    const node = await prepare([sdkBuild], 'all')
    const chromium = onlyStatic ? undefined : await provideChromium()
    const check = (/** @type {import('./checks.mjs').Check[]} */ list) => (onlyTests ? nothing : runChecks(node, list))
    // The build and the types of the portal each keep one core busy, so the other checks run at the same time. Tests need only the
    // build.
    const portal = async () => {
      await prepare([portalBuild])
      if (!onlyTests) await generateTypes(node)
      const test = onlyStatic ? nothing : runVitest(node, { args: filters, chromium, scope })
      return sum(...(await Promise.all([check(checks.portal), test])))
    }
    const done = await Promise.all([portal(), check(checks.others)])
    if (scope === 'one node' && !onlyStatic) printLeftOut()
    process.exitCode = conclude(sum(...done))
  } catch (error) {
    process.exitCode = report(error)
  }
}
