import { portalBuild, sdkBuild } from '../bootstrap/builds.mjs'
import { prepare } from '../bootstrap/prepare.mjs'
import { report } from '../bootstrap/problem.mjs'
import { provideChromium } from './chromium.mjs'
import { checks } from './checks.mjs'
import { runChecks } from './run-checks.mjs'
import { runVitest } from './run-vitest.mjs'
import { conclude, nothing, sum } from './tally.mjs'

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
      return check(checks.portal)
    }
    const checked = await Promise.all([portal(), check(checks.others)])
    const tested = onlyStatic ? nothing : await runVitest(node, { args, chromium })
    process.exitCode = conclude(sum(...checked, tested))
  } catch (error) {
    process.exitCode = report(error)
  }
}
