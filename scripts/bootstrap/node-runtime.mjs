import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.mjs'
import { cache } from './paths.mjs'
import { Problem } from './problem.mjs'
import { runStep } from './step.mjs'

// 24.7 added crypto.argon2, which hashes passwords; 24.9 added shouldUpgradeCallback of http.
const oldest = { major: 24, minor: 9 }
/** The major version that is fetched if this machine's Node is too old. */
const FETCHED = 26
const PLATFORM = `${process.platform}-${process.arch}`
const advice = `Install Node ${FETCHED} from https://nodejs.org/ and run the command again.`

/** @typedef {{ name: string, version: string, integrity: string }} NodePackage */

/**
 * The packages of Node that are fetched, by major version and platform: npm refuses one whose content differs from its hash.
 * To change a version, take the hashes from `npm view <name>@<version> dist.integrity`.
 * @type {Readonly<Record<string, Readonly<Record<string, NodePackage>>>>}
 */
const PACKAGES = JSON.parse(readFileSync(new URL('node-packages.json', import.meta.url), 'utf8'))

/** The Node to run Portico with, if this machine has it already: our own, else the one fetched earlier. */
export function findNode() {
  if (isWanted(process.versions.node)) return process.execPath
  const { folder, executable } = packagedNode(fetched())
  if (!existsSync(executable)) return undefined
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return version === wantedPackage().version ? executable : undefined
}

/** Fetches Node from the npm registry into the checkout; it appears under its final name only when it is whole and runs. */
export async function fetchNode() {
  const unfinished = `${fetched()}-unfinished-${process.pid}`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  try {
    const { name, version, integrity } = wantedPackage()
    const dependencies = { [name]: version }
    const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } }
    writeFileSync(join(unfinished, 'package.json'), JSON.stringify({ private: true, dependencies }))
    // The hash is in the lock file, and npm refuses a package with another one.
    writeFileSync(join(unfinished, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
    await runStep({
      title: `Downloading Node ${version} (this machine has ${process.version})`,
      advice: `Check the network and the npm registry's address (npm config get registry), or: ${advice}`,
      cwd: unfinished,
      ...npm(process.execPath, ['ci', '--ignore-scripts', '--no-audit', '--no-fund']),
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
function isWanted(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNewEnough = major > oldest.major || (major === oldest.major && minor >= oldest.minor)
  return isNewEnough && major === (demandedMajor() ?? major)
}

/** PORTICO_NODE demands a major version, for tests on another Node than this machine's. */
function demandedMajor() {
  const demanded = process.env.PORTICO_NODE
  if (!demanded) return undefined
  if (/^\d+$/.test(demanded) && Number(demanded) >= oldest.major) return Number(demanded)
  throw new Problem(
    `PORTICO_NODE=${demanded} is not a version of Node that Portico runs on.`,
    `Set it to a major version such as ${oldest.major} or ${FETCHED}, or unset it.`,
  )
}

/** @returns {NodePackage} */
function wantedPackage() {
  const major = demandedMajor() ?? FETCHED
  const found = PACKAGES[major]?.[PLATFORM]
  if (found) return found
  throw new Problem(
    `This machine has Node ${process.versions.node}, and there is no Node ${major} for ${PLATFORM} that can be downloaded here.`,
    advice,
  )
}

/** A folder per platform: a checkout may be shared between a machine and a container on it. */
function fetched() {
  return join(cache, `node-${demandedMajor() ?? FETCHED}`, PLATFORM)
}

/** @param {string} prefix */
function packagedNode(prefix) {
  const folder = join(prefix, 'node_modules', wantedPackage().name)
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
