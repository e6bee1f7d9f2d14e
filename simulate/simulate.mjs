#!/usr/bin/env node
import { portalBuild } from '../scripts/bootstrap/builds.mjs'
import { runChild } from '../scripts/bootstrap/child.mjs'
import { inRoot } from '../scripts/bootstrap/paths.mjs'
import { prepare } from '../scripts/bootstrap/prepare.mjs'
import { report } from '../scripts/bootstrap/problem.mjs'

try {
  const node = await prepare([portalBuild])
  const { exitCode } = await runChild(node, [inRoot('simulate', 'main.ts'), ...process.argv.slice(2)], { show: true })
  process.exitCode = exitCode
} catch (error) {
  process.exitCode = report(error)
}
