#!/usr/bin/env node
import { portalBuild } from '../scripts/bootstrap/builds.mjs'
import { runChild } from '../scripts/bootstrap/child.mjs'
import { inRoot } from '../scripts/bootstrap/paths.mjs'
import { prepare } from '../scripts/bootstrap/prepare.mjs'
import { report } from '../scripts/bootstrap/problem.mjs'
import { provideChromium } from '../scripts/testing/chromium.mjs'

try {
  const args = process.argv.slice(2)
  const node = await prepare([portalBuild], 'all')
  const env = { ...process.env, ...(args.includes('--browser') && { PORTICO_CHROMIUM: await provideChromium() }) }
  // On a small machine, Node gives a program less memory than it takes to check the history of an hour.
  const program = ['--max-old-space-size=4096', inRoot('simulate', 'main.ts')]
  const { exitCode } = await runChild(node, [...program, ...args], { show: true, env })
  process.exitCode = exitCode
} catch (error) {
  process.exitCode = report(error)
}
