import { fingerprint, stamp } from './fingerprint.mjs'
import { npm } from './npm.mjs'
import { inRoot, root } from './paths.mjs'
import { runStep } from './step.mjs'

const built = stamp(inRoot('portal', 'build', '.stamp'))

const inputs = [
  'portal',
  'portal/project.inlang/settings.json',
  'contract/src',
  'package-lock.json',
  'tsconfig.base.json',
]
// What a build writes. As inputs, they would make the portal stale as soon as it is built.
const outputs = ['node_modules', 'build', '.svelte-kit', 'paraglide', 'project.inlang']

export function portalIsFresh() {
  return built.read() === mark()
}

/** @param {string} node */
export async function buildPortal(node) {
  // Computed before the build, so that changes during the build trigger another one.
  const source = mark()
  built.remove()
  await runStep({
    title: 'Building the portal',
    advice: 'If you changed something in portal/ or contract/, fix the error above; otherwise please report this.',
    cwd: root,
    ...npm(node, ['run', 'build', '-w', 'portal']),
  })
  built.write(source)
}

const mark = () => fingerprint(inputs, { without: outputs })
