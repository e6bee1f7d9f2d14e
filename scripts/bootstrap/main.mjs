import { portalBuild, sdkBuild } from './builds.mjs'
import { runChild } from './child.mjs'
import { compiled, inRoot } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { report } from './problem.mjs'

/** @typedef {{ builds: readonly import('./workspace-build.mjs').Build[], operands: number }} Needs */

/** @type {Readonly<Record<string, Needs>>} */
const NEEDED = {
  start: { builds: [portalBuild, sdkBuild], operands: 0 },
  demo: { builds: [portalBuild, sdkBuild], operands: 0 },
  'new-bot': { builds: [sdkBuild], operands: 1 },
}

/**
 * Nothing is built for a command that will only print its help, or refuse what it was called with.
 * @param {string[]} args
 */
function buildsFor([command = '', ...rest]) {
  const { builds, operands } = NEEDED[command] ?? { builds: [], operands: 0 }
  const runs = rest.length <= operands && !rest.some((argument) => argument.startsWith('-'))
  return runs ? builds : []
}

/**
 * `portico <command> …`: prepares the checkout, then runs the server's command line.
 * @param {string[]} args
 */
export async function main(args) {
  try {
    const node = await prepare(buildsFor(args))
    // The program does the same for itself, but not for its first file: for that one alone, Node would load its compiler of TypeScript.
    const env = { NODE_COMPILE_CACHE: compiled, ...process.env }
    const { exitCode } = await runChild(node, [inRoot('server', 'src', 'main.ts'), ...args], { show: true, env })
    process.exitCode = exitCode
  } catch (error) {
    process.exitCode = report(error)
  }
}
