import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { nginxProgram } from '../../server/test/nginx.ts'
import { postgresPrograms } from '../../server/test/postgres-server.ts'
import { redisProgram } from '../../server/test/redis.ts'
import type { Mode } from '../history/history.ts'

/** Something that a world needs and this machine doesn’t have. */
export class MissingRequirement extends Error {}

/** Fails with all that is missing, before anything is started. */
export function requirePrograms(mode: Mode): void {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const hasOpenssl = folders.some((folder) => existsSync(join(folder, 'openssl')))
  const missing = hasOpenssl ? [] : ['openssl']
  if (mode === 'cluster') {
    if (nginxProgram === undefined) missing.push('nginx (Debian’s package nginx)')
    if (postgresPrograms === undefined) missing.push('PostgreSQL (Debian’s package postgresql)')
    if (redisProgram === undefined) missing.push('Redis or Valkey (Debian’s package redis-server)')
  }
  if (missing.length === 0) return
  const list = missing.map((one) => `\n  ${one}`).join('')
  throw new MissingRequirement(`The simulation needs with --mode ${mode}, and this machine doesn’t have:${list}`)
}
