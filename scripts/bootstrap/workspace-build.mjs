import { totalmem } from 'node:os'
import { fingerprint, stamp } from './fingerprint.mjs'
import { npm } from './npm.mjs'
import { inRoot, root } from './paths.mjs'
import { runStep } from './step.mjs'

/** Less memory and more time: a small heap, and one thread for the bundler. */
const frugal = (/** @type {NodeJS.ProcessEnv} */ { NODE_OPTIONS = '' }) => ({
  NODE_OPTIONS: `${NODE_OPTIONS} --max-old-space-size=350 --max-semi-space-size=2`,
  RAYON_NUM_THREADS: '1',
})

/** What this machine has, or what this container may use. */
function memoryInMegabytes() {
  // Node 18 doesn't have it, and 0 means that there is no limit.
  const limit = process.constrainedMemory?.() || Infinity
  return Math.min(totalmem(), limit) / 2 ** 20
}

/** @typedef {{ isFresh(): boolean, run(node: string): Promise<void> }} Build */

/**
 * The `build` script of a workspace, which runs again when one of its inputs has changed.
 *
 * @param {object} workspace
 * @param {string} workspace.title
 * @param {string} workspace.advice
 * @param {number} [workspace.megabytes] what the script takes where there is enough memory
 * @param {string} workspace.folder
 * @param {string} workspace.output the folder that the script creates, below that of the workspace
 * @param {string[]} workspace.inputs
 * @param {string[]} workspace.ignored names of what a build writes: as inputs, they would make it stale as soon as it is finished
 * @returns {Build}
 */
export function workspaceBuild({ title, advice, megabytes = 0, folder, output, inputs, ignored }) {
  const built = stamp(inRoot(folder, output, '.stamp'))
  const mark = () => fingerprint(inputs, { without: ignored })
  return {
    isFresh: () => built.read() === mark(),
    run: async (node) => {
      // Computed before the build, so that changes during the build trigger another one.
      const source = mark()
      built.remove()
      const { env, ...command } = npm(node, ['run', 'build', '-w', folder])
      const isTight = memoryInMegabytes() < 2 * megabytes
      await runStep({
        title,
        advice,
        memoryAdvice: `Stop other programs or add swap, and run the command again. Or build it on a larger machine, from the same version, and copy ${folder}/${output} here.`,
        cwd: root,
        ...command,
        env: { ...env, ...(isTight && frugal(env)) },
      })
      built.write(source)
    },
  }
}
