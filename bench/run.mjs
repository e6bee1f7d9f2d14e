#!/usr/bin/env node
import { runChild } from '../scripts/bootstrap/child.mjs'
import { inRoot } from '../scripts/bootstrap/paths.mjs'
import { prepare } from '../scripts/bootstrap/prepare.mjs'
import { report } from '../scripts/bootstrap/problem.mjs'

try {
  const node = await prepare({ portal: false })
  const { exitCode } = await runChild(node, [inRoot('bench', 'api.ts'), ...process.argv.slice(2)], { show: true })
  process.exitCode = exitCode
} catch (error) {
  process.exitCode = report(error)
}
