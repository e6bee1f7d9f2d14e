import { portalBuild, sdkBuild } from '../bootstrap/builds.mjs'
import { inRoot } from '../bootstrap/paths.mjs'
import { prepare } from '../bootstrap/prepare.mjs'
import { report } from '../bootstrap/problem.mjs'
import { runStep } from '../bootstrap/step.mjs'
import { provideChromium } from './chromium.mjs'
import { checks } from './checks.mjs'
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
 * `npm test` runs everything, `npm test -- --static` the static checks, `npm test -- <filter>` the tests that vitest finds by it.
 * @param {string[]} args
 */
export async function main(args) {
  const onlyStatic = args.includes('--static')
  const onlyTests = !onlyStatic && args.length > 0
  try {
    const node = await prepare([sdkBuild], 'all')
    const chromium = onlyStatic ? undefined : await provideChromium()
    const check = (/** @type {import('./checks.mjs').Check[]} */ list) => (onlyTests ? nothing : runChecks(node, list))
    // The build and the types of the portal each keep one core busy, so the other checks run at the same time.
    const portal = async () => {
      await prepare([portalBuild])
      if (!onlyTests) await generateTypes(node)
      return check(checks.portal)
    }
    const checked = await Promise.all([portal(), check(checks.others)])
    const tested = onlyStatic ? nothing : await runVitest(node, { args, chromium })
    process.exitCode = conclude(sum(...checked, tested))
  } catch (error) {
    process.exitCode = report(error)
  }
}
