import { runChild } from '../bootstrap/child.mjs'
import { environmentWith } from '../bootstrap/npm.mjs'
import { root } from '../bootstrap/paths.mjs'
import { Interrupted } from '../bootstrap/problem.mjs'
import { nothing, sum } from './tally.mjs'

/**
 * Runs every check in order, even if others fail, and shows the output of those that fail.
 * @param {string} node
 * @param {import('./checks.mjs').Check[]} list
 */
export async function runChecks(node, list) {
  let tally = nothing
  for (const check of list) tally = sum(tally, await runCheck(node, check))
  return tally
}

/**
 * @param {string} node
 * @param {import('./checks.mjs').Check} check
 */
async function runCheck(node, { name, command }) {
  const started = Date.now()
  const { file, args, ...options } = command(node)
  const { exitCode, output, stoppedBy } = await runChild(file, args, {
    env: environmentWith(node),
    ...options,
    cwd: root,
  })
  if (stoppedBy) throw new Interrupted(stoppedBy)

  const took = `${((Date.now() - started) / 1000).toFixed(1)} s`
  if (exitCode === 0) {
    console.log(`✓ ${name}, ${took}`)
    return { ...nothing, passed: 1 }
  }
  console.log(`✗ ${name}, ${took}\n\n${output.trim()}\n`)
  return { ...nothing, failed: [name] }
}
