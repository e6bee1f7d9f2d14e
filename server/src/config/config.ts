import { resolve } from 'node:path'
import { parseRedisAddress } from './redis-address.ts'
import {
  addressesOrNames,
  addressesWithPorts,
  hostNames,
  networks,
  origin,
  s3Endpoint,
  turnAddresses,
} from './addresses.ts'
import { dependencyErrors } from './dependent-settings.ts'
import { DEFAULT_LEVEL, LEVELS, type LogLevel } from './log-levels.ts'
import { readSecretFiles } from './secret-files.ts'
import { oneOf, optional, pauses, setting, text, whole, type Setting } from './setting.ts'

/** Every setting there is. `docs/settings.md` is this table, written out. */
export const SETTINGS = {
  PORT: whole('The port to listen on', 3000, 0, 65_535),
  HOST: text('The address to listen on; `0.0.0.0` for all interfaces', 'localhost'),
  PUBLIC_URL: setting<string | null>({
    about: 'The public address of the portal; all links are based on it',
    fallback: 'http://localhost:PORT',
    expected: 'an http:// or https:// address without a path',
    read: (given) => (given === undefined ? null : origin(given)),
  }),
  ALLOWED_HOSTS: setting<readonly string[]>({
    about:
      'Other domain names under which the portal is opened, comma-separated, or `*` for any. A request to an unknown name gets 400; addresses, names without a dot and private names (`.local`, `.internal`, `.localhost`, `.test`, `.home.arpa`) are always answered',
    fallback: '(only that of PUBLIC_URL)',
    expected: 'names such as chat.example,chat.intranet.example',
    read: (given) => hostNames(given),
  }),
  HTTPS_PORT: setting<number | 'auto' | 'off' | null>({
    about:
      'The port for https with a certificate of Portico’s own, for other devices of a home network. Listens on all interfaces unless HOST names one; `auto` is 3443, or a free one if that is taken',
    fallback: 'off; in the demo auto, but not in a cluster',
    expected: 'auto, off or a whole number from 0 to 65535',
    read: (given) => {
      if (given === undefined) return null
      return given === 'auto' || given === 'off' ? given : whole('', 0, 0, 65_535).read(given)
    },
  }),
  PORTICO_DATA: text('The folder for the embedded database, pictures, uploaded files and the secret', './data'),
  DATABASE_URL: setting<string | null>({
    about: 'An external PostgreSQL server (15 or newer) instead of the embedded one',
    fallback: '(embedded)',
    expected: 'a postgres:// address',
    read: (given) => (given === undefined ? null : postgresAddress(given)),
  }),
  DATABASE_REPLICA_URL: setting<string | null>({
    about:
      'A streaming replica of that server, with the same database and user. Messages are searched there; when it lags or fails, the primary answers',
    fallback: '(none)',
    expected: 'a postgres:// address',
    read: (given) => (given === undefined ? null : postgresAddress(given)),
  }),
  DATABASE_POOL_SIZE: whole('The maximum number of database connections, of each server', 20, 2, 500),
  REDIS_URL: setting<string | null>({
    about:
      'The Redis (7 or newer) or Valkey (8 or newer) that the nodes of a cluster share; without it, one process serves the database',
    fallback: '(none)',
    expected: 'a redis://, redis+sentinel:// or redis+cluster:// address',
    read: (given) => {
      if (given === undefined) return null
      return parseRedisAddress(given) && given
    },
  }),
  FILES_FOLDER: setting<string | null>({
    about: 'The folder for pictures and uploaded files; nodes of a cluster that have no bucket mount the same one',
    fallback: '(`files` in PORTICO_DATA)',
    expected: 'a path',
    read: (given) => (given === undefined ? null : resolve(given)),
  }),
  S3_ENDPOINT: setting<string | null>({
    about:
      'S3-compatible storage for pictures and uploaded files, instead of a folder. The bucket is added to the path, or replaces `{bucket}` in the host name',
    fallback: '(none)',
    expected: 'an http:// or https:// address such as https://s3.example or https://{bucket}.s3.example',
    read: (given) => (given === undefined ? null : s3Endpoint(given)),
  }),
  S3_BUCKET: setting<string | null>({
    about: 'The bucket there, which nothing else uses and nobody else can read',
    fallback: '(none)',
    expected: 'the name of a bucket',
    read: (given) => {
      if (given === undefined) return null
      return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(given) ? given : undefined
    },
  }),
  S3_REGION: text('The region of that bucket, as its provider calls it', 'us-east-1'),
  S3_ACCESS_KEY_ID: optional('The access key for that bucket', 1),
  S3_SECRET_ACCESS_KEY: optional('The secret of that access key', 1),
  FILE_MAX_MB: whole('The largest file that can be uploaded to a room, in MiB', 25, 1, 1000),
  FILES_QUOTA_GB: whole('How much all uploaded files together may take, in GiB', 20, 1, 1_000_000),
  FILES_QUOTA_PERSON_GB: setting<number | null>({
    about: 'How much the files of one person may take, with those of their bots, in GiB',
    fallback: 'a tenth of FILES_QUOTA_GB',
    expected: 'a whole number from 1 to 1000000',
    read: (given) => (given === undefined ? null : whole('', 1, 1, 1_000_000).read(given)),
  }),
  PORTICO_SECRET: setting<string | null>({
    about: 'The secret that encrypts stored secrets and signs tokens. Must stay the same for a database',
    fallback: '(created on first start in the data folder)',
    expected: 'at least 32 characters',
    read: (given) => {
      if (given === undefined) return null
      return given.length >= 32 ? given : undefined
    },
  }),
  TRUSTED_PROXIES: setting<readonly string[]>({
    about: 'Reverse proxies whose `X-Forwarded-*` headers are trusted: comma-separated addresses or networks',
    fallback: '(none)',
    expected: 'addresses or networks such as 127.0.0.1,10.0.0.0/8',
    read: (given) => networks(given),
  }),
  METRICS_TOKEN: optional(
    'The bearer token for `/metrics`. Without it, metrics can be read only from this machine while PUBLIC_URL is a localhost address',
    16,
  ),
  MEDIA: oneOf('`off` turns voice and video off', ['on', 'off'] as const, 'on'),
  MEDIA_PORT: setting<number | null>({
    about: 'The UDP and TCP port for voice and video; `0` picks a free one',
    fallback: '7882, or a free one if that is taken',
    expected: 'a whole number from 0 to 65535',
    read: (given) => (given === undefined ? null : whole('', 0, 0, 65_535).read(given)),
  }),
  MEDIA_ADDRESS: setting<readonly string[]>({
    about:
      'Where clients reach `MEDIA_PORT`, if not at an address of this machine or of PUBLIC_URL: comma-separated addresses or host names',
    fallback: '(detected)',
    expected: 'addresses or names such as 203.0.113.7,home.example',
    read: (given) => addressesOrNames(given),
  }),
  TURN_URL: setting<readonly string[]>({
    about: 'TURN servers for clients whose network lets neither UDP nor `MEDIA_PORT` through, comma-separated',
    fallback: '(none)',
    expected: 'addresses such as turns:turn.example:443?transport=tcp',
    read: (given) => turnAddresses(given),
  }),
  TURN_SECRET: optional('The secret that those TURN servers share with Portico (`static-auth-secret` of coturn)', 16),
  LIVEKIT_URL: setting<string | null>({
    about: 'An external LiveKit server for voice and video, instead of the embedded media server',
    fallback: '(none)',
    expected: 'a ws:// or wss:// address',
    read: (given) => {
      if (given === undefined) return null
      return /^wss?:\/\//.test(given) && URL.canParse(given) ? given : undefined
    },
  }),
  LIVEKIT_API_KEY: optional('The API key of that LiveKit server', 1),
  LIVEKIT_API_SECRET: optional('The API secret of that LiveKit server', 16),
  STREAM_PING_SECONDS: whole(
    'Ping interval of open sockets, in seconds; must be shorter than any proxy’s idle timeout. Clients notice a node that has vanished ten seconds after a missing ping',
    15,
    1,
    300,
  ),
  RATE_LIMIT_FACTOR: setting<number>({
    about: 'Multiplies all rate limits of people, addresses and sockets, for portals whose people share few addresses',
    fallback: '1',
    expected: 'a number from 0.01 to 1000000',
    read: (given = '1') => {
      const factor = /^\d+(\.\d+)?$/.test(given) ? Number(given) : 0
      return factor >= 0.01 && factor <= 1_000_000 ? factor : undefined
    },
  }),
  WEBHOOK_ALLOW_CIDR: setting<readonly string[]>({
    about: 'Private networks to which webhooks and Web Push messages may be sent, comma-separated',
    fallback: '(none)',
    expected: 'networks such as 10.1.0.0/16,192.168.7.4',
    read: (given) => networks(given),
  }),
  WEBHOOK_DNS: setting<readonly string[]>({
    about:
      'DNS servers for host names of webhooks and push services, instead of the system’s: comma-separated addresses, with a port if not 53',
    fallback: '(the system’s)',
    expected: 'addresses such as 10.0.0.53 or 127.0.0.1:5353',
    read: (given) => addressesWithPorts(given),
  }),
  WEBHOOK_RETRY_PAUSES: setting<readonly number[]>({
    about: 'Seconds between the attempts of a delivery, comma-separated; ±20% jitter',
    fallback: '5,300,1800,7200,18000,36000,36000',
    expected: 'up to 20 numbers such as 5,300,1800',
    read: (given) => pauses(given ?? '5,300,1800,7200,18000,36000,36000'),
  }),
  WEBHOOK_OFF_STREAK: whole(
    'A webhook is turned off after this many failed attempts in a row over at least `WEBHOOK_OFF_SECONDS`',
    25,
    1,
    1_000_000,
  ),
  WEBHOOK_OFF_SECONDS: whole(
    'How long a webhook must have been failing before it is turned off, in seconds',
    3600,
    0,
    31_536_000,
  ),
  AUDIT_LOG_DAYS: whole('How long audit entries are kept, in days', 90, 1, 36_500),
  DRAIN_SECONDS: whole(
    'How long a node that is stopped still answers, in seconds: meanwhile `/readyz` says so, and open sockets are closed one by one',
    0,
    0,
    600,
  ),
  LOG_LEVEL: oneOf<LogLevel>('The log level', LEVELS, DEFAULT_LEVEL),
  LOG_FORMAT: oneOf('`auto`: readable on a terminal, JSON elsewhere', ['auto', 'json', 'pretty'] as const, 'auto'),
} as const

export type SettingName = keyof typeof SETTINGS
type SettingValue<S> = S extends Setting<infer T> ? T : never

export type Config = Omit<{ readonly [K in SettingName]: SettingValue<(typeof SETTINGS)[K]> }, 'PUBLIC_URL'> & {
  readonly PUBLIC_URL: string
}

/** All invalid settings. */
export class ConfigError extends Error {
  readonly errors: readonly string[]
  constructor(errors: readonly string[]) {
    super(errors.join('\n'))
    this.name = 'ConfigError'
    this.errors = errors
  }
}

export interface Settings {
  readonly config: Config
  /** Invalid settings; `config` has their defaults. */
  readonly errors: readonly string[]
}

export function readConfig(environment: Record<string, string | undefined>): Config {
  const { config, errors } = readSettings(environment)
  if (errors.length > 0) throw new ConfigError(errors)
  return config
}

export function readSettings(given: Record<string, string | undefined>): Settings {
  const { environment, errors: fileless } = readSecretFiles(given)
  const errors = [...fileless]
  const values: Record<string, unknown> = {}
  for (const [name, { read, expected }] of Object.entries(SETTINGS)) {
    const given = environment[name]?.trim() || undefined
    const value = read(given)
    if (value === undefined) errors.push(`${name}: expected ${expected}, got "${shown(name, given)}"`)
    values[name] = value ?? read(undefined)
  }
  errors.push(...dependencyErrors(values, environment))
  values['PORTICO_DATA'] = resolve(String(values['PORTICO_DATA']))
  values['PUBLIC_URL'] ??= `http://localhost:${String(values['PORT'])}`
  return { config: values as Config, errors }
}

function postgresAddress(given: string): string | undefined {
  return /^postgres(ql)?:\/\//.test(given) ? given : undefined
}

/** A mistyped secret is a secret too. */
function shown(name: string, given: string | undefined): string {
  return /SECRET|TOKEN|KEY|DATABASE_(REPLICA_)?URL|REDIS_URL/.test(name) ? '(hidden)' : (given ?? '')
}
