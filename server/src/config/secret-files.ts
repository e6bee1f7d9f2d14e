import { readFileSync } from 'node:fs'

/** Settings that can be read from a file, as Docker and Kubernetes mount secrets: `NAME_FILE` instead of `NAME`. */
const SECRETS = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'PORTICO_SECRET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'LIVEKIT_API_KEY',
  'LIVEKIT_API_SECRET',
  'TURN_SECRET',
  'METRICS_TOKEN',
] as const

export const SECRET_FILES = SECRETS.map((name) => `${name}_FILE`)

type Environment = Readonly<Record<string, string | undefined>>

/** The environment with the content of those files. A file that is missing or empty is an error: nothing may start without it. */
export function readSecretFiles(environment: Environment): { environment: Environment; errors: readonly string[] } {
  const read: Record<string, string> = {}
  const errors: string[] = []
  for (const name of SECRETS) {
    const path = environment[`${name}_FILE`]?.trim()
    if (!path) continue
    if (environment[name]?.trim()) {
      errors.push(`${name}_FILE: not together with ${name}`)
      continue
    }
    const content = contentOf(path)
    if (content) read[name] = content
    else
      errors.push(
        `${name}_FILE: expected a file with the value, ${path} ${content === '' ? 'is empty' : 'can’t be read'}`,
      )
  }
  return { environment: { ...environment, ...read }, errors }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}
