import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectPage, startEchoServer, statistics } from './echo-page.ts'
import { firefoxMediaAddress as address, firefoxPath, startFirefox, type FirefoxPage } from './firefox.ts'

describe.skipIf(firefoxPath === undefined || address === undefined)('a media transport, with Firefox', () => {
  let page: FirefoxPage
  beforeAll(async () => {
    page = await startFirefox()
  })
  afterAll(() => page[Symbol.asyncDispose]())

  it.each([
    ['udp', (port: number) => `candidate:1 1 udp 2130706431 ${address} ${port} typ host`],
    ['tcp', (port: number) => `candidate:1 1 tcp 1518280447 ${address} ${port} typ host tcptype passive`],
  ] as const)('carries sound and picture to a page and back over %s', async (protocol, candidate) => {
    await using server = await startEchoServer([address!])
    await page.open(server.address)
    await connectPage(page, server, candidate(server.port))
    await expect.poll(() => statistics(page)).toMatchObject({ state: 'connected', protocol })
    await expect.poll(async () => (await statistics(page)).soundReceived).toBeGreaterThan(50)
    await expect.poll(async () => (await statistics(page)).framesDecoded).toBeGreaterThan(20)
    expect(server.received.audio).toBeGreaterThan(50)
    await expect.poll(() => server.received.rtcp).toBeGreaterThan(1)
    expect(server.states).toEqual(['connected'])
  })
})
