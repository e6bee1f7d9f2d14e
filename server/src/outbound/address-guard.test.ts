import { BlockList } from 'node:net'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { portal, channelFixture } from '../../test/channel-fixture.ts'
import { blockListOf, checkUrl, isAllowedAddress } from './address-guard.ts'

/** Doesn't resolve: an unresolvable name is not refused. */
const nobody = portal({ WEBHOOK_DNS: '127.0.0.1:9' })

const NONE = new BlockList()

const HOSTILE = [
  // Not https, not a URL, or with credentials.
  'http://bot.example.com/',
  'ftp://bot.example.com/',
  'ws://bot.example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'bot.example.com/hook',
  '//bot.example.com/hook',
  'https://',
  'https:///hook',
  'https://bot example.com/',
  'https://bot.example.com:99999/',
  'https://somebody@bot.example.com/',
  'https://somebody:secret@bot.example.com/',
  'https://:secret@bot.example.com/',
  'https://public.example.com@127.0.0.1/',
  // IPv4: every range that is not public.
  'https://0.0.0.0/',
  'https://0.1.2.3/',
  'https://10.0.0.1/',
  'https://10.255.255.255/',
  'https://100.64.0.1/',
  'https://100.127.255.254/',
  'https://127.0.0.1/',
  'https://127.0.0.1:8443/',
  'https://127.255.255.254/',
  'https://169.254.169.254/latest/meta-data/',
  'https://172.16.0.1/',
  'https://172.31.255.254/',
  'https://192.0.0.8/',
  'https://192.0.2.1/',
  'https://192.88.99.1/',
  'https://192.168.0.1/',
  'https://192.168.255.254/',
  'https://198.18.0.1/',
  'https://198.19.255.254/',
  'https://198.51.100.7/',
  'https://203.0.113.7/',
  'https://224.0.0.1/',
  'https://239.255.255.255/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  // IPv4 in unusual spellings.
  'https://0x7f.1/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://2130706433/',
  'https://127.1/',
  'https://127.0.1/',
  'https://0/',
  'https://127.0.0.1./',
  'https://%31%32%37.0.0.1/',
  'https://１２７.0.0.1/',
  'https://127。0。0。1/',
  'https://①②⑦.⓪.⓪.①/',
  'https://192.168.257/',
  'https://0xA9FEA9FE/',
  // IPv6.
  'https://[::]/',
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:0:127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[64:ff9b::10.0.0.1]/',
  'https://[64:ff9b:1::1]/',
  'https://[100::1]/',
  'https://[2001::1]/',
  'https://[2001:0:7f00:1::]/',
  'https://[2001:20::1]/',
  'https://[2001:db8::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2002:a00:1::1]/',
  'https://[3fff::1]/',
  'https://[5f00::1]/',
  'https://[fc00::1]/',
  'https://[fd12:3456:789a::1]/',
  'https://[fe80::1]/',
  'https://[fe80::1%25eth0]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  // Names of private networks.
  'https://localhost/',
  'https://LOCALHOST:8443/',
  'https://localhost./',
  'https://localhost../',
  'https://ⓛocalhost/',
  'https://bot.localhost/',
  'https://localhost.localdomain/',
  'https://ip6-localhost/',
  'https://printer.local/',
  'https://metadata.google.internal/',
  'https://metadata.google.internal./',
  'https://router.lan/',
  'https://nas.home.arpa/',
  'https://intranet/',
  'https://database/',
  'https://bot..example.com/',
]

const GOOD = [
  'https://bot.example.com/',
  'https://bot.example.com/hooks/42?token=a%20b#c',
  'https://bot.example.com:8443/',
  'https://BOT.Example.COM./',
  'https://bücher.example/',
  'https://xn--bcher-kva.example/',
  'https://localhost.example.com/',
  'https://internal.example.com/',
  'https://10.example.com/',
  'https://1.1.1.1/',
  'https://8.8.8.8:444/',
  'https://172.32.0.1/',
  'https://100.128.0.1/',
  'https://[2606:4700:4700::1111]/',
  'https://[2a00:1450:4001:800::200e]:8443/',
  'https://[::ffff:8.8.8.8]/',
]

describe('checkUrl', () => {
  test.each(HOSTILE)('refuses %s', (text) => {
    expect(checkUrl(text, NONE)).toHaveProperty('fault')
  })

  test.each(GOOD)('accepts %s', (text) => {
    expect(checkUrl(text, NONE)).toMatchObject({ url: new URL(text), isLocal: false })
  })

  test('accepts networks that the operator allows, and no others', () => {
    const allowed = blockListOf(['10.1.0.0/16', '192.168.7.4', 'fd00:1::/32'])
    for (const host of ['10.1.2.3', '192.168.7.4', '[::ffff:10.1.2.3]', '[fd00:1::5]']) {
      expect(checkUrl(`https://${host}/`, allowed), host).not.toHaveProperty('fault')
    }
    for (const host of ['10.2.0.1', '192.168.7.5', '127.0.0.1', '[::ffff:10.2.0.1]', '[fd00:2::5]', '[::1]']) {
      expect(checkUrl(`https://${host}/`, allowed), host).toHaveProperty('fault')
    }
    // With allowed private networks, the resolved address decides.
    expect(checkUrl('https://bot.internal/', allowed)).toMatchObject({ isLocal: true })
  })
})

test.each(['', 'bot.example.com', '127.0.0.1:80', '1.2.3', '::1::', '127.0.0.1 '])(
  'isAllowedAddress rejects text that is not an address: %j',
  (text) => expect(isAllowedAddress(text, NONE)).toBe(false),
)

describe('PUT /webhook', () => {
  test('rejects an address that is not public, and names the field', async () => {
    await nobody
    const { bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const over = `https://bot.example.com/${'a'.repeat(501 - 'https://bot.example.com/'.length)}`
    const some = HOSTILE.filter((_, index) => index % 7 === 0)
    for (const url of [...some, 'https://localhost/', 'https://[::1]/', over, '', 'https://bot.example.com/\0']) {
      const answer = await bot.put<{ message: string }>('/webhook', { url })
      expect(answer.status, url).toBe(400)
      expect(answer.body.message, url).toMatch(/^url: must /)
    }
    for (const body of [{}, { url: 7 }, { url: null }]) {
      const answer = await bot.put<{ message: string }>('/webhook', body)
      expect(answer.status).toBe(400)
      expect(answer.body.message).toMatch(/^url: /)
    }
    expectRefusal(await bot.get('/webhook'), 'notFound')
  })

  test('accepts a public address of 500 characters that does not resolve yet', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const url = `https://bot.example.com/${'a'.repeat(500 - 'https://bot.example.com/'.length)}`
    expect(await bots[0].put('/webhook', { url })).toMatchObject({ status: 201, body: { url, active: true } })
  })
})
