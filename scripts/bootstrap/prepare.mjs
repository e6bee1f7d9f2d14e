import { accessSync, constants, existsSync } from 'node:fs'
import { dependenciesAreFresh, installDependencies } from './dependencies.mjs'
import { fetchNode, findNode } from './node-runtime.mjs'
import { cache, inRoot, root } from './paths.mjs'
import { Problem } from './problem.mjs'
import { withSetupLock } from './setup-lock.mjs'

/**
 * Makes a checkout ready to run, doing only what is missing or stale.
 * @param {readonly import('./workspace-build.mjs').Build[]} [builds] what is needed besides the dependencies
 * @param {import('./dependencies.mjs').Dependencies} [dependencies] a build needs all of them
 * @returns {Promise<string>} the Node to run it with
 */
export async function prepare(builds = [], dependencies = 'production') {
  const node = findNode()
  const isBuilt = builds.every((build) => build.isFresh())
  const needed = isBuilt ? dependencies : 'all'
  if (node && isBuilt && dependenciesAreFresh(needed)) return node

  checkWritable()
  return withSetupLock(async () => {
    const node = findNode() ?? (await fetchNode())
    if (!dependenciesAreFresh(needed)) await installDependencies(node, needed)
    for (const build of builds) if (!build.isFresh()) await build.run(node)
    return node
  })
}

function checkWritable() {
  for (const path of [root, cache, inRoot('node_modules'), inRoot('portal'), inRoot('sdk')]) {
    try {
      if (existsSync(path)) accessSync(path, constants.W_OK)
    } catch {
      throw new Problem(
        `This checkout has to be prepared, but ${path} isn’t writable.`,
        'Run the command as the owner of that folder, or give the whole checkout to one user.',
      )
    }
  }
}
