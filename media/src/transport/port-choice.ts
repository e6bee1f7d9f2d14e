/** The port that firewalls and routers are set up for, unless MEDIA_PORT names another. */
const USUAL_PORT = 7882
const LOCAL = ['127.0.0.1', '::1']
/** Media doesn't pass through a reverse proxy, so HOST says nothing about where it arrives. */
const EVERYWHERE = ['0.0.0.0', '::']

/** The addresses to listen on. */
export function hostsFor({ isLocal }: { readonly isLocal: boolean }): readonly string[] {
  return isLocal ? LOCAL : EVERYWHERE
}

/** Opens the port that was chosen; for null the usual one, or a free one, so that two portals on one machine both start. */
export async function openChosen<T>(port: number | null, open: (port: number) => Promise<T>): Promise<T> {
  if (port !== null) return open(port)
  try {
    return await open(USUAL_PORT)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return openRandom(open)
    throw error
  }
}

/** How often a random port is tried: its number must be free for UDP and TCP at every address. */
const RANDOM_PORT_ATTEMPTS = 10

/** Opens some free port. */
export async function openRandom<T>(open: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open(0)
    } catch (error) {
      if (attempt === RANDOM_PORT_ATTEMPTS) throw error
    }
  }
}

/** An IPv6 address can't be listened on because the machine has no IPv6. */
export function isWithoutIpv6(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EAFNOSUPPORT', 'EADDRNOTAVAIL'].includes(String(error.code))
}
