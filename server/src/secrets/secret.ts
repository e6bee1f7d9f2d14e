import { hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { isForbidden, isMissing } from '../db/embedded/file-errors.ts'
import { makeDataFolder } from '../db/make-data-folder.ts'
import { StartError } from '../db/start-error.ts'

/** The portal's own secret. Never used itself: each purpose has a key derived for it. */
export interface Secret {
  key(purpose: string): Buffer
}

export type SecretSettings = Pick<Config, 'PORTICO_SECRET' | 'PORTICO_DATA'>

export const SHORTEST_SECRET = 32

export async function openSecret(config: SecretSettings): Promise<Secret> {
  const text = config.PORTICO_SECRET ?? (await keptSecret(config)) ?? (await makeSecret(config))
  return { key: (purpose) => Buffer.from(hkdfSync('sha256', text, '', purpose, 32)) }
}

export function secretPath({ PORTICO_DATA }: Pick<Config, 'PORTICO_DATA'>): string {
  return join(PORTICO_DATA, 'secret')
}

/** The secret of the data folder, if it has one. */
export async function keptSecret(config: Pick<Config, 'PORTICO_DATA'>): Promise<string | undefined> {
  const path = secretPath(config)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw isForbidden(error) ? closed(path, error) : error
  })
  if (text !== undefined && text.trim().length < SHORTEST_SECRET) {
    throw new StartError(
      `${path} is too short to be the portal’s secret.`,
      'Restore the secret from a backup. Without one, delete the file: the next start creates a new secret.',
    )
  }
  return text?.trim()
}

async function makeSecret(config: Pick<Config, 'PORTICO_DATA'>): Promise<string> {
  const path = secretPath(config)
  const draft = `${path}.${randomUUID()}`
  await makeDataFolder(config.PORTICO_DATA)
  try {
    // Written whole before it gets its name: a crash half-way must not leave an empty secret that later starts accept.
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(randomBytes(32).toString('base64url'))
    await file.sync()
    await file.close()
    // Of two processes that start at once, both must end up with the secret of the first.
    await link(draft, path).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    })
    return await readFile(path, 'utf8')
  } catch (error) {
    throw isForbidden(error) ? closed(path, error) : error
  } finally {
    await rm(draft, { force: true })
  }
}

function closed(path: string, cause: unknown): StartError {
  const message = `This user isn’t allowed to read or write the portal’s secret ${path}.`
  return new StartError(
    message,
    'Run this as the user who runs Portico, or make this user the owner of the data folder.',
    {
      cause,
    },
  )
}
