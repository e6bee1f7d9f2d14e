import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type BlockList } from 'node:net'
import { isAllowedAddress } from './address-guard.ts'

export interface Resolved {
  readonly address: string
  readonly family: 4 | 6
}

/** A host whose addresses are all allowed; the first one is used. */
export class ForbiddenHost extends Error {
  constructor(host: string) {
    super(`${host} is in a private network, which only WEBHOOK_ALLOW_CIDR could allow`)
    this.name = 'ForbiddenHost'
  }
}

/**
 * Resolves a name and checks its addresses. The caller connects to the returned address without a second lookup, so DNS
 * rebinding has no effect. One forbidden address refuses the host.
 */
export async function resolveChecked(
  host: string,
  allowed: BlockList,
  nameServers: readonly string[],
): Promise<Resolved> {
  const bare = host.replace(/^\[|\]$/g, '')
  const addresses = isIP(bare) === 0 ? await addressesOf(bare, nameServers) : [bare]
  if (addresses.some((address) => !isAllowedAddress(address, allowed))) throw new ForbiddenHost(host)
  const [address] = addresses
  if (address === undefined) throw new Error(`${host} has no address`)
  return { address, family: isIP(address) === 6 ? 6 : 4 }
}

async function addressesOf(host: string, nameServers: readonly string[]): Promise<string[]> {
  if (nameServers.length === 0) return (await lookup(host, { all: true })).map(({ address }) => address)
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  resolver.setServers([...nameServers])
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length === 0) throw new Error(`${host} does not resolve`)
  return found
}
