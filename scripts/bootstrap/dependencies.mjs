import { fingerprint, stamp } from './fingerprint.mjs'
import { isInstalled, workspaces } from './lock-file.mjs'
import { npm } from './npm.mjs'
import { inRoot, root } from './paths.mjs'
import { runStep } from './step.mjs'

const installed = stamp(inRoot('node_modules', '.portico-stamp'))

/** Whether node_modules holds what package-lock.json asks for. */
export function dependenciesAreFresh() {
  return installed.read() === mark()
}

/** @param {string} node */
export async function installDependencies(node) {
  const wanted = mark()
  // A developer's own `npm install` is as good as ours.
  if (isInstalled()) return installed.write(wanted)
  installed.remove()
  await runStep({
    title: 'Installing the dependencies',
    advice:
      'Check the network and the free disk space, and run the command again. If npm says that package.json and package-lock.json disagree, run npm install once.',
    cwd: root,
    ...npm(node, ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund']),
  })
  installed.write(wanted)
}

function mark() {
  const manifests = ['', ...workspaces()].map((folder) => `${folder ? `${folder}/` : ''}package.json`)
  return fingerprint(['package-lock.json', ...manifests], { also: `${process.platform}-${process.arch}` })
}
