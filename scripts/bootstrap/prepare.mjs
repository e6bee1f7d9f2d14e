import { accessSync, constants } from 'node:fs'
import { userInfo } from 'node:os'
import { dependenciesAreFresh, installDependencies } from './dependencies.mjs'
import { fetchNode, findNode } from './node-runtime.mjs'
import { buildPortal, portalIsFresh } from './portal-build.mjs'
import { root } from './paths.mjs'
import { Problem } from './problem.mjs'
import { withSetupLock } from './setup-lock.mjs'

/**
 * Makes a checkout ready to run, doing only what is missing or stale.
 * @param {{ portal: boolean }} wanted whether the built portal is needed too
 * @returns {Promise<string>} the Node to run it with
 */
export async function prepare({ portal }) {
  const node = findNode()
  const portalIsReady = () => !portal || portalIsFresh()
  if (node && dependenciesAreFresh() && portalIsReady()) return node

  checkWritable()
  return withSetupLock(async () => {
    const node = findNode() ?? (await fetchNode())
    if (!dependenciesAreFresh()) await installDependencies(node)
    if (!portalIsReady()) await buildPortal(node)
    return node
  })
}

function checkWritable() {
  try {
    accessSync(root, constants.W_OK)
  } catch {
    throw new Problem(
      `This checkout has to be prepared, and ${userInfo().username} may not write to ${root}`,
      'Run the command as the owner of the folder.',
    )
  }
}
