import { portalBuild, sdkBuild } from './builds.mjs'
import { runChild } from './child.mjs'
import { inRoot } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { report } from './problem.mjs'

/** @type {Readonly<Record<string, readonly import('./workspace-build.mjs').Build[]>>} */
const NEEDED = {
  start: [portalBuild, sdkBuild],
  demo: [portalBuild, sdkBuild],
  'new-bot': [sdkBuild],
}

/**
 * `portico <command> …`: prepares the checkout, then runs the server's command line.
 * @param {string[]} args
 */
export async function main(args) {
  try {
    const node = await prepare(NEEDED[args[0] ?? ''])
    const { exitCode } = await runChild(node, [inRoot('server', 'src', 'main.ts'), ...args], { show: true })
    process.exitCode = exitCode
  } catch (error) {
    process.exitCode = report(error)
  }
}
