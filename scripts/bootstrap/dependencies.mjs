import { readFileSync } from 'node:fs'
import { fingerprint, stamp } from './fingerprint.mjs'
import { npm } from './npm.mjs'
import { inRoot, root } from './paths.mjs'
import { runStep } from './step.mjs'

const installed = stamp(inRoot('node_modules', '.portico-stamp'))

/** Whether node_modules contains what package-lock.json asks for. */
export function dependenciesAreFresh() {
  return installed.read() === mark()
}

/**
 * Installs exactly what package-lock.json lists. `npm ci` empties node_modules first, so an interrupted install leaves
 * nothing behind, and it fails when package.json and the lock file disagree.
 * @param {string} node
 */
export async function installDependencies(node) {
  const wanted = mark()
  installed.remove()
  await runStep({
    title: 'Installing the dependencies',
    advice: 'Check the network and the free disk space, and run the command again.',
    cwd: root,
    ...npm(node, ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund']),
  })
  installed.write(wanted)
}

function mark() {
  /** @type {{ workspaces?: string[] }} */
  const { workspaces = [] } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
  const manifests = ['package.json', ...workspaces.map((folder) => `${folder}/package.json`)]
  return fingerprint(['package-lock.json', ...manifests], { also: `${process.platform}-${process.arch}` })
}
