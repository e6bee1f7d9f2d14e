import { access, constants, stat } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { isForbidden, isMissing } from '../../db/embedded/file-errors.ts'
import { StartError } from '../../db/start-error.ts'
import { keptSecret, secretPath } from '../../secrets/secret.ts'
import { existing } from './check-machine.ts'
import { failure, ok, warning, type Finding, type Findings } from './finding.ts'

const FOLDER = 'Data folder'
const SECRET = 'Secret'

export async function* checkDataFolder(config: Config): Findings {
  const folder = config.PORTICO_DATA
  const there = await look(folder)
  if (there === 'closed') yield closed(folder)
  else if (!there) yield await checkFutureFolder(folder)
  else {
    yield await checkFolder(folder, there)
    yield await checkSecret(config)
  }
}

async function checkFutureFolder(folder: string): Promise<Finding> {
  const parent = await existing(folder)
  if (await mayUse(parent)) return ok(FOLDER, `${folder} doesn’t exist yet; the first start creates it`)
  return failure(
    FOLDER,
    `${folder} doesn’t exist, and this user can’t create it in ${parent}`,
    `Create it and change its owner (mkdir, chown), or set PORTICO_DATA to another folder.`,
  )
}

async function checkFolder(folder: string, { uid, isFolder }: Seen): Promise<Finding> {
  const self = process.getuid?.()
  if (!isFolder) return failure(FOLDER, `${folder} isn’t a folder`, 'Set PORTICO_DATA to a folder.')
  if (!(await mayUse(folder))) {
    return failure(
      FOLDER,
      `${folder} belongs to user id ${uid}, and this user (${self}) can’t access it`,
      `Run Portico as the owner, or change the owner: chown -R ${self} '${folder}'`,
    )
  }
  const owner = self === undefined || self === uid ? 'yours' : `of user id ${uid}`
  return ok(FOLDER, `${folder}, ${owner}, writable`)
}

async function checkSecret(config: Config): Promise<Finding> {
  if (config.PORTICO_SECRET !== null) return ok(SECRET, 'given by PORTICO_SECRET')
  const path = secretPath(config)
  try {
    if ((await keptSecret(config)) === undefined)
      return ok(SECRET, 'not in the data folder; the first start of a new portal creates it')
  } catch (error) {
    if (error instanceof StartError) return failure(SECRET, error.message, error.hint)
    throw error
  }
  const seen = await look(path)
  if (!seen || seen === 'closed') return failure(SECRET, `${path} has disappeared`, 'Run the doctor again.')
  if (process.platform !== 'win32' && (seen.mode & 0o077) !== 0) {
    return failure(SECRET, `${path} can be read by other users of this machine`, `chmod 600 '${path}'`)
  }
  if (seen.uid !== process.getuid?.() && process.getuid?.() !== 0) {
    return warning(SECRET, `${path} belongs to user id ${seen.uid}`, 'Run Portico and its commands as one user.')
  }
  return ok(SECRET, `${path}, for its owner only`)
}

interface Seen {
  readonly uid: number
  readonly mode: number
  readonly isFolder: boolean
}

function closed(folder: string): Finding {
  return failure(
    FOLDER,
    `this user can’t access ${folder}`,
    'Run Portico as a user with access, open the parent folders (chmod o+x), or set PORTICO_DATA to another folder.',
  )
}

async function look(path: string): Promise<Seen | 'closed' | undefined> {
  try {
    const seen = await stat(path)
    return { uid: seen.uid, mode: seen.mode, isFolder: seen.isDirectory() }
  } catch (error) {
    if (isMissing(error)) return undefined
    if (isForbidden(error)) return 'closed'
    throw error
  }
}

async function mayUse(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
}
