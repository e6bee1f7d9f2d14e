import { isIP, isIPv4 } from 'node:net'
import { hostname } from 'node:os'
import { addressesFor, listInterfaces } from '@portico/media'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/is-loopback.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '::1']

/** The host that HTTPS_PORT listens on; undefined for all. Other devices can't reach the default of HOST. */
export function httpsHost({ HOST }: Pick<Config, 'HOST'>): string | undefined {
  return ['localhost', '0.0.0.0', '::'].includes(HOST) ? undefined : HOST
}

/** The addresses and names under which this machine may be opened by https: first those for other devices, the best one first. */
export function ownNames(config: Pick<Config, 'HOST' | 'PUBLIC_URL' | 'MEDIA_ADDRESS'>): string[] {
  const host = httpsHost(config)
  if (host !== undefined && isLoopback(host)) return [...new Set([host, ...LOOPBACK])]
  const machine = hostname().toLowerCase()
  const names = [
    ...(host === undefined ? localAddresses() : [host]),
    ...config.MEDIA_ADDRESS,
    new URL(config.PUBLIC_URL).hostname.replace(/^\[(.*)\]$/, '$1'),
    machine,
    // As the machine is called where there is no name server (multicast DNS).
    ...(machine.includes('.') ? [] : [`${machine}.local`]),
  ]
  const others = names.filter((name) => isNameable(name) && !isLoopback(name))
  return [...new Set([...others, ...LOOPBACK])]
}

function isNameable(name: string): boolean {
  return isIP(name) !== 0 || /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(name)
}

/** Addresses of version 6 only without one of version 4: many change every day, and with them the certificate would. */
function localAddresses(): string[] {
  const anyone = { local: null, host: '', remote: '192.0.2.1' }
  const own = { configured: [], public: [], interfaces: listInterfaces(), isContainer: false }
  const addresses = addressesFor(own, anyone)
  const ofVersion4 = addresses.filter((address) => isIPv4(address))
  return ofVersion4.length > 0 ? ofVersion4 : addresses
}
