import { describe, expect, test } from 'vitest'
import { parseRedisAddress } from './redis-address.ts'

describe('parseRedisAddress', () => {
  test('reads one server, with its defaults', () => {
    expect(parseRedisAddress('redis://cache.example')).toEqual({
      kind: 'server',
      hosts: [{ host: 'cache.example', port: 6379 }],
      tls: false,
      database: 0,
    })
    expect(parseRedisAddress('rediss://portico:p%40ss@[::1]:6380/3')).toEqual({
      kind: 'server',
      hosts: [{ host: '::1', port: 6380 }],
      tls: true,
      username: 'portico',
      password: 'p@ss',
      database: 3,
    })
    expect(parseRedisAddress('redis://:only-a-password@localhost')).toMatchObject({ password: 'only-a-password' })
  })

  test('reads the Sentinels of a group, and the nodes of a Redis Cluster', () => {
    expect(parseRedisAddress('redis+sentinel://a,b:5000/main')).toEqual({
      kind: 'sentinel',
      hosts: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 5000 },
      ],
      tls: false,
      group: 'main',
    })
    expect(parseRedisAddress('rediss+cluster://:secret@a:7000,b:7001')).toEqual({
      kind: 'cluster',
      hosts: [
        { host: 'a', port: 7000 },
        { host: 'b', port: 7001 },
      ],
      tls: true,
      password: 'secret',
    })
  })

  test.each([
    'http://localhost',
    'redis://',
    'redis://a,b',
    'redis://a:65536',
    'redis://a/main',
    'redis+sentinel://a,b',
    'redis+cluster://a/1',
    'redis+other://a',
  ])('refuses %s', (given) => {
    expect(parseRedisAddress(given)).toBeUndefined()
  })
})
