import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { selfSignedCertificate } from '@portico/media'
import type { Config } from '../config/config.ts'
import { isMissing } from '../db/embedded/file-errors.ts'
import { makeDataFolder } from '../db/make-data-folder.ts'

const DAY_MS = 86_400_000
/** Browsers accept certificates of at most 398 days. */
const VALID_DAYS = 396
const RENEWED_BEFORE_DAYS = 30

/** The certificate with its private key, both as PEM. */
export interface HttpsCertificate {
  readonly key: string
  readonly cert: string
}

type Place = Pick<Config, 'PORTICO_DATA'>

export function httpsCertificatePath({ PORTICO_DATA }: Place): string {
  return join(PORTICO_DATA, 'https.pem')
}

/**
 * The certificate of the data folder. A new one replaces it shortly before it expires, and when it lacks one of these names;
 * one that has more names is kept, because browsers warn of every new one.
 */
export async function openHttpsCertificate(
  place: Place,
  names: readonly string[],
  now = Date.now(),
): Promise<HttpsCertificate> {
  const kept = await readHttpsCertificate(place)
  if (kept && isUsable(kept, names, now)) return kept
  const made = makeCertificate(names, now)
  await store(place, made)
  return made
}

/** What the data folder has; undefined for nothing, or nothing that can be used. */
export async function readHttpsCertificate(place: Place): Promise<HttpsCertificate | undefined> {
  const text = await readFile(httpsCertificatePath(place), 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return ''
    throw error
  })
  const [key, cert] = text.match(/-----BEGIN (\w+ ?\w+)-----[^]+?-----END \1-----\n/g) ?? []
  return key !== undefined && cert !== undefined ? { key, cert } : undefined
}

function isUsable({ key, cert }: HttpsCertificate, names: readonly string[], now: number): boolean {
  try {
    const parsed = new X509Certificate(cert)
    const isNamed = (name: string): boolean =>
      (isIP(name) === 0 ? parsed.checkHost(name) : parsed.checkIP(name)) !== undefined
    const isCurrent =
      now > parsed.validFromDate.getTime() && now + RENEWED_BEFORE_DAYS * DAY_MS < parsed.validToDate.getTime()
    return isCurrent && parsed.checkPrivateKey(createPrivateKey(key)) && names.every(isNamed)
  } catch {
    return false
  }
}

function makeCertificate(names: readonly string[], now: number): HttpsCertificate {
  const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  // From yesterday on, for devices whose clock is late.
  const der = selfSignedCertificate({ keys, names, from: now - DAY_MS, until: now + VALID_DAYS * DAY_MS })
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { key, cert: new X509Certificate(der).toString() }
}

/** Replaces the file as a whole: a crash leaves the one before. */
async function store(place: Place, { key, cert }: HttpsCertificate): Promise<void> {
  const path = httpsCertificatePath(place)
  const draft = `${path}.${process.pid}`
  await makeDataFolder(place.PORTICO_DATA)
  try {
    const file = await open(draft, 'w', 0o600)
    await file.writeFile(key + cert)
    await file.sync()
    await file.close()
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}
