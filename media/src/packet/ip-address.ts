import { isIPv4 } from 'node:net'
import { uint } from './bytes.ts'

/** The 4 or 16 bytes of an IP address. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  // URL writes an address in its shortest form, in hexadecimal throughout, and without a zone.
  const [head = '', tail] = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const first = groups(head)
  const last = groups(tail ?? '')
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0)
  return Buffer.concat([...first, ...zeros, ...last].map((group) => uint(2, group)))
}

/** An IPv4 address as it is, also when a socket for IPv6 shows it. */
export function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

/** Whether an address is one of this machine alone. */
export function isLoopbackAddress(address: string): boolean {
  return /^(127(\.\d+){3}|::1)$/.test(withoutMapping(address))
}

/** The network that an address is counted for: a customer with IPv6 has at least a /64. */
export function networkOfAddress(address: string): string {
  const bytes = addressBytes(withoutMapping(address))
  return bytes.subarray(0, 8).toString('hex')
}
