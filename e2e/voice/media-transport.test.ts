import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { PERFECT, startLossyRelay } from '../../media/test/lossy-relay.ts'
import { describeInBrowser, type Visitor } from '../browser.ts'
import {
  acceptAnswer,
  answerTo,
  connectPage,
  descriptionOf,
  startEchoServer,
  statistics,
  type EchoServer,
} from './echo-page.ts'

const candidate = {
  udp: (port: number) => `candidate:1 1 udp 2130706431 127.0.0.1 ${port} typ host`,
  tcp: (port: number) => `candidate:1 1 tcp 1518280447 127.0.0.1 ${port} typ host tcptype passive`,
}

describeInBrowser(
  'a media transport',
  (visitor) => {
    it.each(['udp', 'tcp'] as const)('carries sound and picture to a page and back over %s', async (protocol) => {
      await using server = await startEchoServer()
      const page = await connect(visitor, server, candidate[protocol](server.port))
      await expect.poll(() => statistics(page)).toMatchObject({ state: 'connected', protocol })
      await expect.poll(() => server.received.audio).toBeGreaterThan(50)
      await expect.poll(() => server.received.video).toBeGreaterThan(50)
      await expect.poll(() => server.received.rtcp).toBeGreaterThan(1)
      await expect.poll(async () => (await statistics(page)).soundReceived).toBeGreaterThan(50)
      await expect.poll(async () => (await statistics(page)).framesDecoded).toBeGreaterThan(20)
      expect(await statistics(page)).toMatchObject({ state: 'connected', profile: 'SRTP_AEAD_AES_128_GCM' })
    })

    it('goes on after the page has restarted ICE', async () => {
      await using server = await startEchoServer()
      const page = await connect(visitor, server, candidate.udp(server.port))
      await expect.poll(async () => (await statistics(page)).soundReceived).toBeGreaterThan(10)
      server.transport.restart()
      const offer = await page.evaluate(async () => {
        echoConnection.restartIce()
        await echoConnection.setLocalDescription()
        return echoConnection.localDescription!.sdp
      })
      server.transport.expect(descriptionOf(offer))
      await acceptAnswer(page, answerTo(offer, server.transport.local, [candidate.udp(server.port)]))
      const { soundReceived } = await statistics(page)
      await expect.poll(async () => (await statistics(page)).soundReceived).toBeGreaterThan(soundReceived + 50)
      expect(await statistics(page)).toMatchObject({ state: 'connected' })
      expect(server.states).toEqual(['connected'])
    })

    it('connects over a network that loses 30 % of the packets', async () => {
      await using server = await startEchoServer()
      await using relay = await startLossyRelay(server.port, { loss: 0.3, delayMs: 20, jitterMs: 30 })
      const page = await connect(visitor, server, candidate.udp(relay.port))
      await expect.poll(() => statistics(page)).toMatchObject({ state: 'connected' })
      await expect.poll(async () => (await statistics(page)).soundReceived).toBeGreaterThan(50)
    })

    it('follows a page whose router has forgotten it', async () => {
      await using server = await startEchoServer()
      await using relay = await startLossyRelay(server.port, PERFECT)
      const page = await connect(visitor, server, candidate.udp(relay.port))
      await expect.poll(async () => (await statistics(page)).soundReceived).toBeGreaterThan(10)
      relay.rebind()
      const { soundReceived } = await statistics(page)
      await expect.poll(async () => (await statistics(page)).soundReceived).toBeGreaterThan(soundReceived + 50)
      expect(server.states).toEqual(['connected'])
    })

    it('closes when the page does', async () => {
      await using server = await startEchoServer()
      const page = await connect(visitor, server, candidate.udp(server.port))
      await expect.poll(() => server.states).toEqual(['connected'])
      await page.evaluate(() => echoConnection.close())
      await expect.poll(() => server.states).toEqual(['connected', 'closed'])
    })

    it('refuses a page that the signaling did not name', async () => {
      await using server = await startEchoServer()
      const page = await connect(visitor, server, candidate.udp(server.port), `sha-256 ${'AB:'.repeat(31)}AB`)
      await expect.poll(() => server.states).toEqual(['closed'])
      expect(server.received).toEqual({ audio: 0, video: 0, rtcp: 0 })
      await expect.poll(async () => (await statistics(page)).state).not.toBe('connected')
    })
  },
  { devices: true },
)

/** Opens a page and connects it to the server. */
async function connect({ open }: Visitor, server: EchoServer, path: string, fingerprint?: string): Promise<Page> {
  const page = await open(server.address, { permissions: ['camera', 'microphone'] })
  await connectPage(page, server, path, fingerprint)
  return page
}
