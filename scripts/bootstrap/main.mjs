import { runChild } from './child.mjs'
import { inRoot } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { report } from './problem.mjs'

const serving = new Set(['start', 'demo'])

/**
 * `portico <command> …`: prepares the checkout, then runs the server's command line.
 * @param {string[]} args
 */
export async function main(args) {
  try {
    const node = await prepare({ portal: serving.has(args[0] ?? '') })
    const { exitCode } = await runChild(node, [inRoot('server', 'src', 'main.ts'), ...args], { show: true })
    process.exitCode = exitCode
  } catch (error) {
    process.exitCode = report(error)
  }
}
