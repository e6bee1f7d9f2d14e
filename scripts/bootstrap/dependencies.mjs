import { readFileSync } from 'node:fs'
import { fingerprint, stamp } from './fingerprint.mjs'
import { npm } from './npm.mjs'
import { inRoot, root } from './paths.mjs'
import { runStep } from './step.mjs'

const installed = stamp(inRoot('node_modules', '.portico-stamp'))

/** @typedef {'production' | 'all'} Dependencies what runs a built portal, or also what builds and tests it */

/**
 * Whether node_modules contains what package-lock.json asks for.
 * @param {Dependencies} needed
 */
export function dependenciesAreFresh(needed) {
  const found = installed.read()
  return found === mark('all') || (needed === 'production' && found === mark('production'))
}

/**
 * Installs exactly what package-lock.json lists. `npm ci` empties node_modules first, so an interrupted install leaves
 * nothing behind, and it fails when package.json and the lock file disagree. No package runs a script: none needs to.
 * @param {string} node
 * @param {Dependencies} needed
 */
export async function installDependencies(node, needed) {
  const wanted = mark(needed)
  const development = needed === 'all' ? '--include=dev' : '--omit=dev'
  installed.remove()
  await runStep({
    title: 'Installing the dependencies',
    advice: 'Check the network and the free disk space, and run the command again.',
    cwd: root,
    ...npm(node, ['ci', development, '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund']),
  })
  installed.write(wanted)
}

/** @param {Dependencies} needed */
function mark(needed) {
  /** @type {{ workspaces?: string[] }} */
  const { workspaces = [] } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'))
  const manifests = ['package.json', ...workspaces.map((folder) => `${folder}/package.json`)]
  return fingerprint(['package-lock.json', ...manifests], { also: `${process.platform}-${process.arch} ${needed}` })
}
