import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { KnownAddresses } from './known-addresses.ts'

const names = vi.hoisted(() => new Map<string, string[]>())
vi.mock('node:dns/promises', () => ({
  lookup: async (name: string) => {
    const addresses = names.get(name)
    if (!addresses) throw new Error('ENOTFOUND')
    return addresses.map((address) => ({ address, family: 4 }))
  },
}))

const FIVE_MINUTES = 5 * 60_000

async function find(configured: readonly string[], publicHost = 'chat.example') {
  const changes: (readonly string[])[] = []
  const addresses = await KnownAddresses.find({ configured, publicHost, onChange: (list) => void changes.push(list) })
  onTestFinished(() => addresses.stop())
  return { addresses, changes }
}

describe('the addresses of this machine', () => {
  beforeEach(() => {
    names.clear()
    names.set('chat.example', ['203.0.113.5'])
    names.set('media.example', ['198.51.100.7', '198.51.100.8'])
  })

  test('begin with those that the operator has set, then those of the portal’s name', async () => {
    const { addresses } = await find(['media.example', '192.0.2.9'])
    expect(addresses.announced.slice(0, 4)).toEqual(['198.51.100.7', '198.51.100.8', '192.0.2.9', '203.0.113.5'])
    expect(addresses.isLocal).toBe(false)
  })

  test('are loopback addresses only where nothing else is set', async () => {
    const { addresses } = await find(['127.0.0.1', '::1'])
    expect(addresses.isLocal).toBe(true)
    expect(addresses.announced).toEqual(['127.0.0.1', '::1'])
    expect((await find(['127.0.0.1', '192.0.2.9'])).addresses.isLocal).toBe(false)
    expect((await find([])).addresses.isLocal).toBe(false)
  })

  test('do without a name that can’t be looked up', async () => {
    const { addresses } = await find(['gone.example', '192.0.2.9'], 'nowhere.example')
    expect(addresses.announced[0]).toBe('192.0.2.9')
    expect(addresses.announced).not.toContain('203.0.113.5')
  })

  test('follow a name to its new address, and are reported when they change', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { addresses, changes } = await find(['media.example'])
    await vi.advanceTimersByTimeAsync(FIVE_MINUTES)
    expect(changes).toEqual([])
    names.set('media.example', ['198.51.100.99'])
    await vi.advanceTimersByTimeAsync(FIVE_MINUTES)
    expect(changes).toEqual([addresses.announced])
    expect(addresses.announced[0]).toBe('198.51.100.99')
  })
})
