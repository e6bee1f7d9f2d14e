import { describe, expect, it } from 'vitest'
import { addressesFor, candidatesFor, listInterfaces, type OwnAddresses } from './addresses.ts'

const own: OwnAddresses = {
  configured: [],
  public: ['203.0.113.7'],
  interfaces: [
    { name: 'lo', address: '127.0.0.1' },
    { name: 'lo', address: '::1' },
    { name: 'docker0', address: '172.17.0.1' },
    { name: 'eth0', address: '192.168.1.5' },
    { name: 'eth0', address: 'fe80::1' },
    { name: 'eth0', address: '2001:db8::5' },
  ],
  isContainer: false,
}
const neighbor = { local: '192.168.1.5', host: 'chat.example.com', remote: '192.168.1.20' }
const self = { local: '127.0.0.1', host: 'localhost', remote: '127.0.0.1' }

describe('addressesFor', () => {
  it('begins with the address that the client already uses', () => {
    expect(addressesFor(own, neighbor)).toEqual(['192.168.1.5', '203.0.113.7', '2001:db8::5', '172.17.0.1'])
  })

  it('begins with what the operator has set', () => {
    const configured = { ...own, configured: ['198.51.100.1'] }
    expect(addressesFor(configured, neighbor)[0]).toBe('198.51.100.1')
  })

  it('announces the loopback only to clients on this machine', () => {
    expect(addressesFor(own, self)).toEqual([
      '127.0.0.1',
      '203.0.113.7',
      '::1',
      '192.168.1.5',
      '2001:db8::5',
      '172.17.0.1',
    ])
    expect(addressesFor(own, neighbor)).not.toContain('127.0.0.1')
    expect(addressesFor(own, { ...neighbor, remote: '::ffff:127.0.0.1' })).toContain('127.0.0.1')
  })

  it('takes an address from the Host header, with or without brackets', () => {
    const none = { ...own, public: [], interfaces: [] }
    expect(addressesFor(none, { local: null, host: '10.1.2.3', remote: '10.1.2.9' })).toEqual(['10.1.2.3'])
    expect(addressesFor(none, { local: null, host: '[2001:db8::9]', remote: '10.1.2.9' })).toEqual(['2001:db8::9'])
  })

  it('ignores the local address within a container', () => {
    const inside = { ...own, isContainer: true, interfaces: [{ name: 'eth0', address: '172.17.0.2' }] }
    expect(addressesFor(inside, { ...neighbor, local: '172.17.0.2', host: '192.168.1.5' })).toEqual([
      '192.168.1.5',
      '203.0.113.7',
      '172.17.0.2',
    ])
  })

  it('shows IPv4 addresses of IPv6 sockets as such, and each address once', () => {
    expect(addressesFor(own, { ...neighbor, local: '::ffff:192.168.1.5' })[0]).toBe('192.168.1.5')
    expect(addressesFor(own, { ...neighbor, host: '192.168.1.5' })).toHaveLength(4)
  })

  it('names at most eight', () => {
    const many = Array.from({ length: 20 }, (_, place) => ({ name: 'eth0', address: `10.0.0.${place}` }))
    expect(addressesFor({ ...own, interfaces: many }, neighbor)).toHaveLength(8)
  })
})

describe('candidatesFor', () => {
  it('offers every address over UDP, then over TCP', () => {
    const one = { ...own, public: [], interfaces: [] }
    expect(candidatesFor(one, 7882, neighbor)).toEqual([
      'candidate:1 1 udp 2130706431 192.168.1.5 7882 typ host',
      'candidate:2 1 tcp 1526726655 192.168.1.5 7882 typ host tcptype passive',
    ])
  })
})

describe('listInterfaces', () => {
  it('finds the loopback', () => {
    expect(listInterfaces().map(({ address }) => address)).toContain('127.0.0.1')
  })
})
