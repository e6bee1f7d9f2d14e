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
// What a build writes: were it an input, the portal would be stale as soon as it is built.
const outputs = ['node_modules', 'build', '.svelte-kit', 'paraglide', 'project.inlang']

export function portalIsFresh() {
  return built.read() === mark()
}

/** @param {string} node */
export async function buildPortal(node) {
  // Taken before: what is changed while it builds is built again next time.
  const source = mark()
  built.remove()
  await runStep({
    title: 'Building the portal',
    advice: 'If you changed something in portal/ or contract/, mend what is named above; else please report this.',
    cwd: root,
    ...npm(node, ['run', 'build', '-w', 'portal']),
  })
  built.write(source)
}

const mark = () => fingerprint(inputs, { without: outputs })
