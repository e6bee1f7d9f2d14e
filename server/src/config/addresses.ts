import { isIP } from 'node:net'

/** Readers of settings that are addresses. Each returns undefined for text that doesn't fit. */

export function origin(given: string): string | undefined {
  if (!URL.canParse(given)) return undefined
  const url = new URL(given)
  const plain = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  return plain && /^https?:$/.test(url.protocol) ? url.origin : undefined
}

export function s3Endpoint(given: string): string | undefined {
  const named = given.replace('://{bucket}.', '://bucket.')
  return /^https?:\/\/[^?#@{}]+$/.test(named) && URL.canParse(named) ? given : undefined
}

export function networks(given: string | undefined): readonly string[] | undefined {
  return listOf(given, (entry) => {
    const [address = '', bits, ...rest] = entry.split('/')
    const version = isIP(address)
    if (version === 0 || rest.length > 0) return false
    return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  })
}

export function addressesWithPorts(given: string | undefined): readonly string[] | undefined {
  return listOf(given, (entry) => /^(\[[0-9a-fA-F:]+\]|[0-9a-fA-F.:]+)(:\d{1,5})?$/.test(entry))
}

export function addressesOrNames(given: string | undefined): readonly string[] | undefined {
  return listOf(given, (entry) => isIP(entry) !== 0 || /^(?!\d+$)[\w-]+(\.[\w-]+)*$/.test(entry))
}

export function hostNames(given: string | undefined): readonly string[] | undefined {
  return listOf(given, (entry) => entry === '*' || /^[\w-]+(\.[\w-]+)*$/.test(entry))
}

export function turnAddresses(given: string | undefined): readonly string[] | undefined {
  return listOf(given, (entry) => /^turns?:[\w.[\]:-]+(\?transport=(udp|tcp))?$/.test(entry))
}

/** Comma-separated entries, all of which fit. */
function listOf(given: string | undefined, fits: (entry: string) => boolean): readonly string[] | undefined {
  const entries = (given ?? '').split(',').map((entry) => entry.trim())
  const filled = entries.filter(Boolean)
  return filled.every(fits) ? filled : undefined
}
