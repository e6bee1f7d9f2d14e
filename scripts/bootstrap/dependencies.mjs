import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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
  if (installed.read() === undefined) emptyFolder(inRoot('node_modules'))
  installed.remove()
  await runStep({
    title: 'Installing the dependencies',
    advice: 'Check the network and the free disk space, and run the command again.',
    cwd: root,
    ...npm(node, ['install', '--no-save', '--include=dev', '--include=optional', '--no-audit', '--no-fund']),
  })
  installed.write(wanted)
}

/**
 * What an interrupted install left looks whole to npm. The folder itself may be a mount, which cannot be removed.
 * @param {string} folder
 */
function emptyFolder(folder) {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
}

function mark() {
  const manifests = ['', ...workspaces()].map((folder) => `${folder ? `${folder}/` : ''}package.json`)
  return fingerprint(['package-lock.json', ...manifests], { also: `${process.platform}-${process.arch}` })
}
