import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os'
import { isLoopbackAddress, withoutMapping } from '../packet/ip-address.ts'

/** Where this machine can be reached, as far as it is known. */
export interface OwnAddresses {
  /** Named by the operator: these are announced first. */
  readonly configured: readonly string[]
  /** What the name of the portal resolves to. */
  readonly public: readonly string[]
  readonly interfaces: readonly InterfaceAddress[]
  /** Nobody outside reaches the addresses that a container sees. */
  readonly isContainer: boolean
}

export interface InterfaceAddress {
  /** The name of the interface, such as `eth0`. */
  readonly name: string
  readonly address: string
}

/** How a client reached the portal. */
export interface ClientAddress {
  /** The local address of its connection; null behind a proxy. */
  readonly local: string | null
  /** The host of the request, without a port. */
  readonly host: string
  readonly remote: string
}

const MAX_ADDRESSES = 8
const HOST_CANDIDATE = 126
/** Below all UDP ones: TCP is for those whom no UDP reaches. */
const TCP_CANDIDATE = 90

/** The candidates for one client, as SDP carries them but without `a=`, best first. */
export function candidatesFor(own: OwnAddresses, port: number, client: ClientAddress): string[] {
  const addresses = addressesFor(own, client)
  const priority = (type: number, place: number) => type * 2 ** 24 + (65_535 - place) * 2 ** 8 + 255
  const udp = addresses.map(
    (address, place) => `candidate:${place + 1} 1 udp ${priority(HOST_CANDIDATE, place)} ${address} ${port} typ host`,
  )
  const tcp = addresses.map((address, place) => {
    const foundation = addresses.length + place + 1
    return `candidate:${foundation} 1 tcp ${priority(TCP_CANDIDATE, place)} ${address} ${port} typ host tcptype passive`
  })
  return [...udp, ...tcp]
}

/** The addresses at which a client may reach this machine, most promising first. Loopback addresses are only for clients on this machine. */
export function addressesFor(own: OwnAddresses, client: ClientAddress): string[] {
  const direct = client.local === null || own.isContainer ? [] : [client.local]
  const host = client.host.replace(/^\[(.*)\]$/, '$1')
  const promising = [...own.configured, ...direct, host, ...own.public, ...sorted(own.interfaces)].map(withoutMapping)
  const isNear = isLoopbackAddress(client.remote)
  const usable = promising.filter(
    (address) => isIP(address) !== 0 && !isLinkLocal(address) && (isNear || !isLoopbackAddress(address)),
  )
  return [...new Set(usable)].slice(0, MAX_ADDRESSES)
}

export function listInterfaces(): InterfaceAddress[] {
  const named = Object.entries(networkInterfaces()) as [string, NetworkInterfaceInfo[]][]
  return named.flatMap(([name, addresses]) => addresses.map(({ address }) => ({ name, address })))
}

export function isContainer(): boolean {
  return existsSync('/.dockerenv') || existsSync('/run/.containerenv')
}

/** Bridges to containers come last: nobody outside reaches them. */
function sorted(interfaces: readonly InterfaceAddress[]): string[] {
  const isBridge = ({ name }: InterfaceAddress) => /^(docker|br-|veth|cni|podman|virbr)/.test(name)
  return [...interfaces.filter((each) => !isBridge(each)), ...interfaces.filter(isBridge)].map(({ address }) => address)
}

export function isLinkLocal(address: string): boolean {
  return /^(169\.254\.|fe[89ab])/i.test(address)
}
