import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeViolations } from '../axe-violations.ts'
import { describeWithMedia } from './media-under-test.ts'
import { controls, hears, hearsNothing, join, tile, twoAt } from './voice-visit.ts'

const onlySpeech = (page: Page) => page.getByRole('switch', { name: 'Only speech' })

describeWithMedia(
  'a microphone that picks up noise',
  (visitor) => {
    test('transmits only speech if that is wanted, and stays muted whatever changes', async () => {
      const { ada, his, hers } = await twoAt(visitor, 'voice')
      await replaceMicrophone(hers)
      await join(his, hers)
      await controls(his).getByRole('button', { name: 'Mute microphone', exact: true }).click()
      await hears(his)
      await controls(hers).getByRole('button', { name: 'Voice settings' }).click()
      await onlySpeech(hers).check()
      await hearsNothing(his)
      expect(await axeViolations(hers)).toEqual([])
      await onlySpeech(hers).uncheck()
      await hears(his)

      // The filter goes while the microphone is muted: it must not open.
      await onlySpeech(hers).check()
      await hearsNothing(his)
      await hers.keyboard.press('Escape')
      await controls(hers).getByRole('button', { name: 'Mute microphone', exact: true }).click()
      await tile(his, ada).getByText('microphone off').waitFor({ state: 'attached' })
      await controls(hers).getByRole('button', { name: 'Voice settings' }).click()
      await onlySpeech(hers).uncheck()
      await hearsNothing(his)
      await hers.keyboard.press('Escape')
      await controls(hers).getByRole('button', { name: 'Unmute microphone' }).click()
      await hears(his)
    })

    test('lets speech pass, with push-to-talk and another microphone too', async () => {
      const { his, hers } = await twoAt(visitor, 'voice')
      await hers.evaluate(() => localStorage.setItem('portico.voice', JSON.stringify({ speechFilter: true })))
      await hers.reload()
      await join(his, hers)
      await controls(his).getByRole('button', { name: 'Mute microphone', exact: true }).click()
      await hears(his)
      await controls(hers).getByRole('button', { name: 'Voice settings' }).click()
      expect(await onlySpeech(hers).isChecked()).toBe(true)
      await hers.getByRole('combobox', { name: 'Microphone' }).selectOption({ label: 'Fake Audio Input 2' })
      await hears(his)
      await hers.getByRole('button', { name: 'Test microphone' }).click()
      const meter = hers.getByRole('meter', { name: 'Microphone level' })
      await expect.poll(async () => Number(await meter.getAttribute('aria-valuenow'))).toBeGreaterThan(20)
      await hers.getByRole('radio', { name: 'Push to talk' }).check({ force: true })
      await hers.keyboard.press('Escape')
      await hearsNothing(his)
      await hers.keyboard.down('Backquote')
      await hears(his)
      await hers.keyboard.up('Backquote')
      await hearsNothing(his)
    })
  },
  { only: 'embedded' },
)

/** Gives the page a microphone that picks up nothing but noise. */
async function replaceMicrophone(page: Page): Promise<void> {
  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () => {
      const context = new AudioContext()
      const buffer = new AudioBuffer({ length: context.sampleRate * 2, sampleRate: context.sampleRate })
      const samples = buffer.getChannelData(0)
      for (let at = 0; at < samples.length; at += 1) samples[at] = (Math.random() - 0.5) / 5
      const noise = new AudioBufferSourceNode(context, { buffer, loop: true })
      const output = context.createMediaStreamDestination()
      noise.connect(output)
      noise.start()
      return Promise.resolve(output.stream)
    }
  })
}
