#!/usr/bin/env node
import { runChild } from '../scripts/bootstrap/child.mjs'
import { inRoot } from '../scripts/bootstrap/paths.mjs'
import { prepare } from '../scripts/bootstrap/prepare.mjs'
import { report } from '../scripts/bootstrap/problem.mjs'

try {
  const node = await prepare({ portal: false })
  const [first, ...rest] = process.argv.slice(2)
  const program = first === 'events' ? ['events.ts', ...rest] : ['api.ts', ...process.argv.slice(2)]
  const { exitCode } = await runChild(node, [inRoot('bench', program[0]), ...program.slice(1)], { show: true })
  process.exitCode = exitCode
} catch (error) {
  process.exitCode = report(error)
}
