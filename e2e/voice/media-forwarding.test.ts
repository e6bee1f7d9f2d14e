import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startLossyRelay } from '../../media/test/lossy-relay.ts'
import { describeInBrowser } from '../browser.ts'
import { startForwarding, watched, type BrowserForwarding } from './browser-forwarding.ts'

describeInBrowser(
  'forwarding between pages',
  ({ open }) => {
    const enter = (fixture: BrowserForwarding): Promise<Page> =>
      open(fixture.address, { permissions: ['camera', 'microphone'] })

    it('gives each viewer the layer that they show, with its sound', async () => {
      await using fixture = await startForwarding()
      const [camera, first, second] = [await enter(fixture), await enter(fixture), await enter(fixture)]
      const { audio, video } = await fixture.publish(camera)
      const [, large] = await fixture.view(first, [audio, video])
      const [, small] = await fixture.view(second, [audio, video])
      small!.setTarget({ width: 200, height: 120 })
      // A busy machine may not manage the highest layer.
      await expect.poll(() => large!.statistics.layer).toBeGreaterThan(0)
      await expect.poll(() => small!.statistics.layer).toBe(0)
      const heights = async (): Promise<number> => (await watched(first)).height - (await watched(second)).height
      await expect.poll(heights).toBeGreaterThan(0)
      small!.setTarget({ width: 600, height: 340 })
      large!.setTarget({ maxLayer: 0 })
      await expect.poll(() => small!.statistics.layer).toBe(1)
      await expect.poll(() => large!.statistics.layer).toBe(0)
      await expect.poll(heights).toBeLessThan(0)
      const { frames } = await watched(first)
      await expect.poll(async () => (await watched(first)).frames).toBeGreaterThan(frames + 10)
      await expect.poll(async () => (await watched(first)).sound).toBeGreaterThan(50)
      expect(audio.takeAudioLevel()?.level).toBeGreaterThan(0)
    })

    it('repeats sound for viewers who know redundancy, whether or not it was sent like that', async () => {
      await using fixture = await startForwarding()
      const [redundant, plain] = [await enter(fixture), await enter(fixture)]
      const published = [
        (await fixture.publish(redundant)).audio,
        (await fixture.publish(plain, { withRedundancy: false })).audio,
      ]
      expect(published.map(({ section }) => section.redundantPayloadType)).toEqual([63, null])
      for (const audio of published) {
        const [knowing, simple] = [await enter(fixture), await enter(fixture)]
        await fixture.view(knowing, [audio])
        await fixture.view(simple, [audio], { withRedundancy: false })
        for (const viewer of [knowing, simple]) {
          await expect.poll(async () => (await watched(viewer)).sound).toBeGreaterThan(50)
        }
        const [{ soundSize: repeating }, { soundSize: single }] = [await watched(knowing), await watched(simple)]
        expect(repeating / single).toBeGreaterThan(1.5)
      }
    })

    it('sends nothing of what is muted, and the picture again afterwards', async () => {
      await using fixture = await startForwarding()
      const [camera, viewer] = [await enter(fixture), await enter(fixture)]
      const { audio, video } = await fixture.publish(camera)
      await fixture.view(viewer, [audio, video])
      await expect.poll(async () => (await watched(viewer)).frames).toBeGreaterThan(10)
      audio.setMuted(true)
      video.setMuted(true)
      await new Promise((resolve) => setTimeout(resolve, 500))
      const before = fixture.forwarder.counters.packetsOut
      await new Promise((resolve) => setTimeout(resolve, 1000))
      expect(fixture.forwarder.counters.packetsOut).toBe(before)
      const { frames } = await watched(viewer)
      audio.setMuted(false)
      video.setMuted(false)
      await expect.poll(async () => (await watched(viewer)).frames).toBeGreaterThan(frames + 10)
    })

    it('forwards H.264 for those who prefer it', async () => {
      await using fixture = await startForwarding()
      const [camera, viewer] = [await enter(fixture), await enter(fixture)]
      const { video } = await fixture.publish(camera, { video: ['video/h264'], isSingleLayer: true })
      expect(video.section.codec.mime).toBe('video/h264')
      await fixture.view(viewer, [video])
      await expect.poll(async () => (await watched(viewer)).frames).toBeGreaterThan(10)
    })

    it('goes on over a network that loses and reorders packets', async () => {
      await using ending = new AsyncDisposableStack()
      await using fixture = await startForwarding(async (port) => {
        const relay = await startLossyRelay(port, { loss: 0.05, delayMs: 10, jitterMs: 20 })
        ending.use(relay)
        return relay.port
      })
      const [camera, viewer] = [await enter(fixture), await enter(fixture)]
      const { audio, video } = await fixture.publish(camera)
      await fixture.view(viewer, [audio, video])
      await expect.poll(async () => (await watched(viewer)).frames).toBeGreaterThan(10)
      for (let time = 0; time < 5; time += 1) {
        const { sound, frames } = await watched(viewer)
        await expect.poll(async () => (await watched(viewer)).sound).toBeGreaterThan(sound + 30)
        await expect.poll(async () => (await watched(viewer)).frames).toBeGreaterThan(frames + 10)
      }
      await expect.poll(async () => (await watched(viewer)).repaired).toBeGreaterThan(0)
    })
  },
  { devices: true },
)
