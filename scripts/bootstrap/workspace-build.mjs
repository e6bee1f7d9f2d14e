import { fingerprint, stamp } from './fingerprint.mjs'
import { npm } from './npm.mjs'
import { inRoot, root } from './paths.mjs'
import { runStep } from './step.mjs'

/** @typedef {{ isFresh(): boolean, run(node: string): Promise<void> }} Build */

/**
 * The `build` script of a workspace, which runs again when one of its inputs has changed.
 *
 * @param {object} workspace
 * @param {string} workspace.title
 * @param {string} workspace.advice
 * @param {string} workspace.folder
 * @param {string} workspace.output the folder that the script creates, below that of the workspace
 * @param {string[]} workspace.inputs
 * @param {string[]} workspace.ignored names of what a build writes: as inputs, they would make it stale as soon as it is finished
 * @returns {Build}
 */
export function workspaceBuild({ title, advice, folder, output, inputs, ignored }) {
  const built = stamp(inRoot(folder, output, '.stamp'))
  const mark = () => fingerprint(inputs, { without: ignored })
  return {
    isFresh: () => built.read() === mark(),
    run: async (node) => {
      // Computed before the build, so that changes during the build trigger another one.
      const source = mark()
      built.remove()
      await runStep({ title, advice, cwd: root, ...npm(node, ['run', 'build', '-w', folder]) })
      built.write(source)
    },
  }
}
