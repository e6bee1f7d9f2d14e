import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dataFolder } from '../../test/data-folder.ts'
import { ConfigError, readConfig, readSettings, SETTINGS } from './config.ts'
import { unknownSettings } from './unknown-settings.ts'

function errorsOf(environment: Record<string, string>): readonly string[] {
  return readSettings(environment).errors
}

describe('readConfig', () => {
  test('needs nothing: every setting has a default', () => {
    expect(readConfig({})).toMatchObject({
      PORT: 3000,
      HOST: 'localhost',
      PUBLIC_URL: 'http://localhost:3000',
      PORTICO_DATA: resolve('data'),
      DATABASE_URL: null,
      PORTICO_SECRET: null,
      TRUSTED_PROXIES: [],
      LOG_LEVEL: 'info',
    })
  })

  test('derives the public address from the port, unless it is given', () => {
    expect(readConfig({ PORT: '8080' }).PUBLIC_URL).toBe('http://localhost:8080')
    expect(readConfig({ PORT: '8080', PUBLIC_URL: 'https://Chat.Example/' }).PUBLIC_URL).toBe('https://chat.example')
    expect(readConfig({ PUBLIC_URL: 'https://chat.example:443' }).PUBLIC_URL).toBe('https://chat.example')
  })

  test('treats an empty value, as in many compose files, as not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '  ', TRUSTED_PROXIES: '' })).toEqual(readConfig({}))
  })

  test('reads several trusted proxies', () => {
    const { TRUSTED_PROXIES } = readConfig({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,fd00::/8, ::1' })
    expect(TRUSTED_PROXIES).toEqual(['127.0.0.1', '10.0.0.0/8', 'fd00::/8', '::1'])
  })

  test('refuses a TURN server without its secret', () => {
    expect(errorsOf({ TURN_URL: 'turn:turn.example' })).toEqual([expect.stringMatching(/^TURN_SECRET: expected with/)])
    const TURN_SECRET = 'a secret of some length'
    expect(errorsOf({ TURN_URL: 'turns:turn.example:443?transport=tcp', TURN_SECRET })).toEqual([])
  })

  test('refuses a replica without its primary, and doesn’t show an address with a password', () => {
    const DATABASE_REPLICA_URL = 'postgres://portico:password@db-2.example/portico'
    expect(errorsOf({ DATABASE_REPLICA_URL })).toEqual([
      expect.stringMatching(/^DATABASE_URL: expected with DATABASE_REPLICA_URL/),
    ])
    expect(errorsOf({ DATABASE_REPLICA_URL, DATABASE_URL: 'postgres://db.example/portico' })).toEqual([])
    expect(errorsOf({ DATABASE_REPLICA_URL: 'portico:password' })).toEqual([
      'DATABASE_REPLICA_URL: expected a postgres:// address, got "(hidden)"',
    ])
  })

  test('refuses an incomplete or second place for files, and a cluster without one', () => {
    const cluster = {
      REDIS_URL: 'redis://redis.example',
      DATABASE_URL: 'postgres://db.example/portico',
      PORTICO_SECRET: 'a secret of at least 32 characters',
    }
    const key = { S3_ACCESS_KEY_ID: 'portico', S3_SECRET_ACCESS_KEY: 'secret' }
    const bucket = { S3_ENDPOINT: 'https://{bucket}.s3.example', S3_BUCKET: 'portico-files', ...key }
    expect(errorsOf(cluster)).toEqual([expect.stringMatching(/^S3_BUCKET or FILES_FOLDER: expected with REDIS_URL/)])
    expect(errorsOf({ ...cluster, ...bucket })).toEqual([])
    expect(errorsOf({ ...cluster, FILES_FOLDER: '/mnt/files' })).toEqual([])
    expect(errorsOf(key)).toEqual([
      'S3_ENDPOINT: expected with S3_ACCESS_KEY_ID',
      'S3_BUCKET: expected with S3_ACCESS_KEY_ID',
    ])
    expect(errorsOf({ ...bucket, FILES_FOLDER: '/mnt/files' })).toEqual(['FILES_FOLDER: not together with S3_ENDPOINT'])
    for (const S3_ENDPOINT of ['s3.example', 'https://user:password@s3.example', 'https://s3.example/?x=1']) {
      expect(errorsOf({ ...bucket, S3_ENDPOINT })[0]).toMatch(/^S3_ENDPOINT: expected an http:/)
    }
  })

  test('reads the port for https', () => {
    expect(readConfig({}).HTTPS_PORT).toBeNull()
    const read = ['auto', 'off', '443'].map((HTTPS_PORT) => readConfig({ HTTPS_PORT }).HTTPS_PORT)
    expect(read).toEqual(['auto', 'off', 443])
    expect(errorsOf({ HTTPS_PORT: 'on' })).toEqual([
      expect.stringMatching(/^HTTPS_PORT: expected auto, off or a whole/),
    ])
  })

  test('reads where media is reached', () => {
    expect(readConfig({})).toMatchObject({ MEDIA: 'on', MEDIA_PORT: null, MEDIA_ADDRESS: [] })
    const { MEDIA_PORT, MEDIA_ADDRESS } = readConfig({
      MEDIA_PORT: '0',
      MEDIA_ADDRESS: '203.0.113.7, home.example,::1',
    })
    expect(MEDIA_PORT).toBe(0)
    expect(MEDIA_ADDRESS).toEqual(['203.0.113.7', 'home.example', '::1'])
  })

  test.each([
    ['PORT', 'eighty', 'a whole number from 0 to 65535'],
    ['PORT', '-1', 'a whole number'],
    ['PORT', '65536', 'a whole number'],
    ['PORT', '80.5', 'a whole number'],
    ['PUBLIC_URL', 'chat.example', 'an http:// or https:// address'],
    ['PUBLIC_URL', 'ftp://chat.example', 'an http:// or https:// address'],
    ['PUBLIC_URL', 'https://chat.example/portal', 'without a path'],
    ['PUBLIC_URL', 'https://chat.example?x', 'without a path'],
    ['PUBLIC_URL', 'https://ada@chat.example', 'an http:// or https:// address'],
    ['DATABASE_URL', 'mysql://localhost/portico', 'a postgres:// address'],
    ['DATABASE_POOL_SIZE', '1', 'a whole number from 2 to 500'],
    ['PORTICO_SECRET', 'short', 'at least 32 characters'],
    ['METRICS_TOKEN', 'short', 'at least 16 characters'],
    ['TRUSTED_PROXIES', 'nginx', 'addresses or networks'],
    ['TRUSTED_PROXIES', '10.0.0.999', 'addresses or networks'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'addresses or networks'],
    ['TRUSTED_PROXIES', '127.0.0.1 10.0.0.1', 'addresses or networks'],
    ['MEDIA', 'yes', 'one of on, off'],
    ['MEDIA_PORT', '70000', 'a whole number from 0 to 65535'],
    ['MEDIA_ADDRESS', '203.0.113.7:7000', 'addresses or names'],
    ['MEDIA_ADDRESS', 'http://chat.example', 'addresses or names'],
    ['TURN_URL', 'https://turn.example', 'addresses such as'],
    ['LOG_LEVEL', 'loud', 'one of fatal, error, warn, info, debug, trace, silent'],
    ['LOG_FORMAT', 'xml', 'one of auto, json, pretty'],
  ])('refuses %s=%s, naming the setting and what was expected', (name, value, expected) => {
    expect(errorsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name}: expected .*${expected}`))])
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
  })

  test('names all errors together, and uses the defaults of those settings', () => {
    const { config, errors } = readSettings({ PORT: 'x', LOG_LEVEL: 'loud', HOST: '0.0.0.0' })
    expect(errors).toHaveLength(2)
    expect(config).toMatchObject({ PORT: 3000, LOG_LEVEL: 'info', HOST: '0.0.0.0' })
  })

  test.each([
    ['PORTICO_SECRET', 'hunter2'],
    ['METRICS_TOKEN', 'hunter2'],
    ['LIVEKIT_API_SECRET', 'hunter2'],
    ['DATABASE_URL', 'postgre://portico:hunter2@db/portico'],
  ])('shows a mistyped %s to nobody', (name, value) => {
    expect(errorsOf({ [name]: value }).join()).toContain('(hidden)')
    expect(errorsOf({ [name]: value }).join()).not.toContain('hunter2')
  })

  test('reads secrets from files, as Docker and Kubernetes mount them', async () => {
    const folder = await dataFolder()
    await mkdir(folder)
    const [secret, empty] = [join(folder, 'secret'), join(folder, 'empty')]
    await writeFile(secret, `${'s'.repeat(40)}\n`)
    await writeFile(empty, '\n')
    expect(readConfig({ PORTICO_SECRET_FILE: secret }).PORTICO_SECRET).toBe('s'.repeat(40))
    expect(readConfig({ PORTICO_SECRET_FILE: '' }).PORTICO_SECRET).toBeNull()
    expect(unknownSettings({ PORTICO_SECRET_FILE: secret, LIVEKIT_API_SECRET_FILE: secret })).toEqual([])
    expect(errorsOf({ METRICS_TOKEN_FILE: join(folder, 'none') })).toEqual([
      expect.stringMatching(/^METRICS_TOKEN_FILE: expected a file .*none can’t be read$/),
    ])
    expect(errorsOf({ METRICS_TOKEN_FILE: empty })).toEqual([expect.stringContaining('is empty')])
    expect(errorsOf({ METRICS_TOKEN_FILE: secret, METRICS_TOKEN: 't'.repeat(20) })).toEqual([
      'METRICS_TOKEN_FILE: not together with METRICS_TOKEN',
    ])
  })

  test('has a line of documentation for every setting', () => {
    for (const { about, fallback, expected } of Object.values(SETTINGS)) {
      expect([about, fallback, expected].every((text) => text.length > 0 && !text.includes('|'))).toBe(true)
    }
  })
})
