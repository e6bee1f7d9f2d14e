/** Where Redis is: one server, the group of a primary that Sentinels watch, or a Redis Cluster. */
export type RedisAddress = {
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  readonly username?: string
  readonly password?: string
  readonly tls: boolean
} & (
  | { readonly kind: 'server'; readonly database: number }
  | { readonly kind: 'sentinel'; readonly group: string }
  | { readonly kind: 'cluster' }
)

const DEFAULT_PORTS = { server: 6379, sentinel: 26_379, cluster: 6379 }

const ADDRESS =
  /^redis(?<tls>s?)(\+(?<kind>sentinel|cluster))?:\/\/((?<username>[^:@/]*)(:(?<password>[^@/]*))?@)?(?<hosts>[^@/]+)(\/(?<path>[\w.-]*))?$/

/**
 * Reads `redis://[[user]:password@]host[:port][/database]`, `redis+sentinel://…host,host/group` or
 * `redis+cluster://…host,host`; `rediss` instead of `redis` for TLS. Undefined if it is none of these.
 */
export function parseRedisAddress(given: string): RedisAddress | undefined {
  const { tls, kind = 'server', username, password, hosts, path = '' } = ADDRESS.exec(given)?.groups ?? {}
  if (kind !== 'server' && kind !== 'sentinel' && kind !== 'cluster') return undefined
  const parsed = hosts?.split(',').map((host) => parseHost(host, DEFAULT_PORTS[kind]))
  if (!parsed?.every((host) => host !== undefined)) return undefined
  const common = {
    hosts: parsed,
    tls: tls === 's',
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  }
  if (kind === 'sentinel') return path === '' ? undefined : { ...common, kind, group: path }
  if (kind === 'cluster') return path === '' ? { ...common, kind } : undefined
  const isOneServer = parsed.length === 1 && /^\d{0,4}$/.test(path)
  return isOneServer ? { ...common, kind, database: Number(path) } : undefined
}

function parseHost(given: string, defaultPort: number): { host: string; port: number } | undefined {
  const {
    v6,
    name,
    port = String(defaultPort),
  } = /^(\[(?<v6>[\da-fA-F:]+)\]|(?<name>[\w.-]+))(:(?<port>\d{1,5}))?$/.exec(given)?.groups ?? {}
  const host = v6 ?? name
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) }
}
