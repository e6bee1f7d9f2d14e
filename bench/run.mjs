#!/usr/bin/env node
import { portalBuild } from '../scripts/bootstrap/builds.mjs'
import { runChild } from '../scripts/bootstrap/child.mjs'
import { inRoot } from '../scripts/bootstrap/paths.mjs'
import { prepare } from '../scripts/bootstrap/prepare.mjs'
import { report } from '../scripts/bootstrap/problem.mjs'
import { provideChromium } from '../scripts/testing/chromium.mjs'

try {
  const [first = '', ...rest] = process.argv.slice(2)
  const opensPortal = first === 'portal' || first === 'lighthouse'
  const inBrowser = opensPortal || first === 'media-network'
  const node = await prepare(opensPortal ? [portalBuild] : [], inBrowser ? 'all' : 'production')
  const [program, args] = [
    'events',
    'lighthouse',
    'media',
    'media-network',
    'media-sends',
    'media-soak',
    'cluster',
    'community',
    'model',
    'portal',
    'search',
    'start',
    'streams',
  ].includes(first)
    ? [first, rest]
    : ['api', process.argv.slice(2)]
  const env = { ...process.env, ...(inBrowser && { PORTICO_CHROMIUM: await provideChromium() }) }
  const { exitCode } = await runChild(node, [inRoot('bench', `${program}.ts`), ...args], { show: true, env })
  process.exitCode = exitCode
} catch (error) {
  process.exitCode = report(error)
}
