import { isIP, isIPv4 } from 'node:net'
import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../config/config.ts'
import { ownNames } from './own-names.ts'

describe('ownNames', () => {
  test('are those of the machine, its interfaces and the settings, without doubles', () => {
    const config = readConfig({
      PUBLIC_URL: 'http://chat.example',
      MEDIA_ADDRESS: '203.0.113.7,home.example,not_a_host',
    })
    const names = ownNames(config)
    expect(names).toEqual([...new Set(names)])
    expect(names).toEqual(expect.arrayContaining(['203.0.113.7', 'home.example', 'chat.example', 'localhost', '::1']))
    expect(names).toContain(hostname().toLowerCase())
    expect(names).not.toContain('not_a_host')
    expect(names.slice(-3)).toEqual(['localhost', '127.0.0.1', '::1'])
  })

  test('contain only the address that HOST names, and addresses of version 6 only without one of version 4', () => {
    const [address] = ownNames(readConfig({ HOST: '192.0.2.4' }))
    expect(address).toBe('192.0.2.4')
    const addresses = ownNames(readConfig({})).filter(
      (name) => isIP(name) !== 0 && !['127.0.0.1', '::1'].includes(name),
    )
    expect(new Set(addresses.map((each) => isIPv4(each))).size).toBeLessThan(2)
  })

  test('are those of this machine only, if HOST is', () => {
    expect(ownNames(readConfig({ HOST: '127.0.0.1' }))).toEqual(['127.0.0.1', 'localhost', '::1'])
  })
})
