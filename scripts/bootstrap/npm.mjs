import { accessSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { cache } from './paths.mjs'

/**
 * How to run npm with a given Node.
 * @param {string} node
 * @param {string[]} args
 */
export function npm(node, args) {
  const cli = findNpmCli()
  const env = environmentWith(node)
  if (cli) return { file: node, args: [cli, ...args], env }
  return { file: 'npm', args, env, shell: process.platform === 'win32' }
}

/**
 * The environment for programs that should find this Node as `node`.
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentWith(node) {
  const env = { ...process.env }
  const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  env[path] = [dirname(node), env[path]].filter(Boolean).join(delimiter)
  // Options of an outer `npm -w …` or `npm --omit=dev …` must not reach our npm.
  for (const name of ['npm_config_workspace', 'npm_config_workspaces', 'npm_config_omit', 'npm_config_production'])
    delete env[name]
  delete env.NODE_ENV
  if (!hasUsableCache(env)) env.npm_config_cache = join(cache, 'npm')
  return env
}

function findNpmCli() {
  const besideNode = dirname(process.execPath)
  const inPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return [
    process.env.npm_execpath ?? '',
    join(besideNode, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...[besideNode, ...inPath].flatMap((folder) => [
      join(folder, 'npm'),
      join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ]),
  ]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .find((path) => path.endsWith('npm-cli.js'))
}

/**
 * A service user often has no home folder, or can't write to it.
 * @param {NodeJS.ProcessEnv} env
 */
function hasUsableCache({ npm_config_cache, HOME }) {
  if (process.platform === 'win32') return true
  const folder = npm_config_cache ?? (HOME && join(HOME, '.npm'))
  if (!folder) return false
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
