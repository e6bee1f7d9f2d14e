import { BlockList, isIP } from 'node:net'
import { HTTPS_URL_PATTERN } from '@portico/contract'

/** Networks that no request of users may reach: loopback, private, link-local, shared, multicast and reserved. */
const FORBIDDEN_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** In IPv6 only global unicast addresses are allowed, without the reserved ranges. */
const PUBLIC_V6 = '2000::/3'
const FORBIDDEN_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const forbidden = blockListOf([...FORBIDDEN_V4, ...FORBIDDEN_V6])
const publicV6 = blockListOf([PUBLIC_V6])

export function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', length] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(length ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return list
}

/** Whether a connection to this address is allowed. The operator can allow further networks. */
export function isAllowedAddress(address: string, allowed: BlockList): boolean {
  const plain = unmapped(address)
  const version = isIP(plain)
  if (version === 0) return false
  const family = version === 6 ? 'ipv6' : 'ipv4'
  if (allowed.check(plain, family)) return true
  if (version === 6 && !publicV6.check(plain, 'ipv6')) return false
  return !forbidden.check(plain, family)
}

/** ::ffff:127.0.0.1 and its hexadecimal spelling are 127.0.0.1. */
function unmapped(address: string): string {
  if (isIP(address) !== 6) return address
  const bare = address.replace(/%.*$/, '')
  const mapped = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/i.exec(new URL(`http://[${bare}]/`).hostname)
  if (!mapped) return bare
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

const HTTPS_URL = new RegExp(HTTPS_URL_PATTERN, 'u')
const LOCAL_NAMES = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/i

/** A local name is accepted only if the operator has allowed networks, and must resolve to one of them. */
export type CheckedUrl =
  | { readonly url: URL; readonly isLocal: boolean }
  | { readonly fault: string; readonly isPrivate?: boolean }

/** Checks the syntax of an address that a user has given: https, a host that can be public, no credentials. */
export function checkUrl(text: string, allowed: BlockList): CheckedUrl {
  if (!URL.canParse(text)) return { fault: 'must be a public https address' }
  const url = new URL(text)
  if (url.protocol !== 'https:') return { fault: 'must be a public https address' }
  if (url.username !== '' || url.password !== '') return { fault: 'must not contain a user name or password' }
  if (!HTTPS_URL.test(text)) return { fault: 'must be a public https address' }
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isIP(host) !== 0) {
    return isAllowedAddress(host, allowed)
      ? { url, isLocal: false }
      : { fault: 'must be a public address, not one in a private network', isPrivate: true }
  }
  if (host.split('.').includes('')) return { fault: 'must be a public https address' }
  const isLocal = LOCAL_NAMES.test(host) || !host.includes('.')
  if (isLocal && allowed.rules.length === 0) {
    return { fault: 'must be a public address, not a private network name', isPrivate: true }
  }
  return { url, isLocal }
}
