import { runChild } from '../bootstrap/child.mjs'
import { environmentWith } from '../bootstrap/npm.mjs'
import { root } from '../bootstrap/paths.mjs'
import { Interrupted } from '../bootstrap/problem.mjs'
import { checks } from './checks.mjs'
import { nothing, sum } from './tally.mjs'

/**
 * Runs every check, two at a time, and shows the output of those that fail.
 * @param {string} node
 */
export async function runChecks(node) {
  const waiting = [...checks]
  const worker = async () => {
    let tally = nothing
    for (let check = waiting.shift(); check; check = waiting.shift()) tally = sum(tally, await runCheck(node, check))
    return tally
  }
  return sum(...(await Promise.all([worker(), worker()])))
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
  if (stoppedBy) throw new Interrupted(exitCode || 130)

  const took = `${((Date.now() - started) / 1000).toFixed(1)} s`
  if (exitCode === 0) {
    console.log(`✓ ${name}, ${took}`)
    return { ...nothing, passed: 1 }
  }
  console.log(`✗ ${name}, ${took}\n\n${output.trim()}\n`)
  return { ...nothing, failed: [name] }
}
