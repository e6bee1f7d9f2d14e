import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { Config } from '../config/config.ts'
import { wrongField, type Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { isEncrypted } from './https-listener.ts'

/** Names that nobody can register in the public DNS: of machines, containers and services in their own network. */
const PRIVATE = /^[^.]+$|\.(localhost|local|internal|test|home\.arpa)$/

const MAX_KNOWN = 20

/**
 * Refuses requests whose `Host` isn't the portal's. A website could point its own name to the portal's
 * address (DNS rebinding), and its pages would reach, as the same origin, what only this network can reach. Addresses and
 * private names are safe, because no website can have them.
 */
export function foreignHosts({ config, https }: Pick<Services, 'config' | 'https'>) {
  const isOwn = ownHosts(config)
  return ({ headers: { host }, socket, httpVersion }: IncomingMessage): Refusal | undefined => {
    if (host === undefined && httpVersion === '1.1') return wrongField('host', 'is required')
    if (isEncrypted(socket))
      return https?.originOf(host) ? undefined : wrongField('host', `must be that of ${https?.url}`)
    if (host === undefined || isOwn(host)) return undefined
    return wrongField('host', `must be that of ${config.PUBLIC_URL}; the setting ALLOWED_HOSTS allows others`)
  }
}

function ownHosts({
  PUBLIC_URL,
  HOST,
  MEDIA_ADDRESS,
  ALLOWED_HOSTS,
}: Pick<Config, 'PUBLIC_URL' | 'HOST' | 'MEDIA_ADDRESS' | 'ALLOWED_HOSTS'>): (host: string) => boolean {
  const names = [new URL(PUBLIC_URL).hostname, HOST, hostname(), ...MEDIA_ADDRESS, ...ALLOWED_HOSTS]
  const own = new Set(names.map((name) => name.toLowerCase()))
  if (own.has('*')) return () => true
  // Nearly all requests have the same host, and parsing it takes 3 % of the time of a small one.
  const known = new Set<string>()
  return (host) => {
    if (known.has(host)) return true
    const name = URL.parse(`http://${host}`)?.hostname
    if (name === undefined) return false
    const isOwn = own.has(name) || PRIVATE.test(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
    if (isOwn && known.size < MAX_KNOWN) known.add(host)
    return isOwn
  }
}
