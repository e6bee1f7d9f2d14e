import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser, PLAIN_HOST } from '../browser.ts'
import { describeWithMedia } from './media-under-test.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, PHONE } from '../portal-visit.ts'
import { bar, controls, hears, hearsNothing, join, roomFor, twoAt } from './voice-visit.ts'

const microphones = (page: Page) => page.getByRole('combobox', { name: 'Microphone' })

describeInBrowser(
  'the voice settings',
  ({ open }) => {
    test('test the microphone, the speaker and the camera', async () => {
      const { server, owner } = await channelFixture()
      const page = await open(`${server.url}/settings/voice`, { ...signedIn(server.url, owner), viewport: DESKTOP })
      await page.getByRole('button', { name: 'Test microphone' }).click()
      const meter = page.getByRole('meter', { name: 'Microphone level' })
      await expect.poll(async () => Number(await meter.getAttribute('aria-valuenow'))).toBeGreaterThan(20)
      await page.getByRole('radio', { name: 'Voice activity' }).check({ force: true })
      await page.getByRole('slider', { name: 'Threshold' }).press('ArrowRight')
      await page.getByRole('button', { name: 'Stop and listen' }).click()
      await page.getByText('This is how others hear you.').waitFor()
      await page.getByRole('button', { name: 'Test microphone' }).waitFor()
      await page.getByRole('button', { name: 'Play a test sound' }).click()
      await page.getByText('You should hear two notes.').waitFor()
      await page.getByRole('button', { name: 'Test camera' }).click()
      const preview = page.getByLabel('Your camera')
      await preview.waitFor()
      await expect.poll(() => preview.evaluate((video: HTMLVideoElement) => video.videoWidth)).toBeGreaterThan(0)
      expect(await axeViolations(page)).toEqual([])
      await page.setViewportSize(PHONE)
      expect(await axeViolations(page)).toEqual([])
    })

    test('are stored in the browser, and use the default while the chosen microphone is disconnected', async () => {
      const { server, owner } = await channelFixture()
      const page = await open(`${server.url}/settings/voice`, { ...signedIn(server.url, owner), viewport: DESKTOP })
      await page.getByRole('button', { name: 'Test microphone' }).click()
      await page.getByRole('button', { name: 'Stop and listen' }).waitFor()
      await microphones(page).selectOption({ label: 'Fake Audio Input 2' })
      await page.getByRole('switch', { name: 'Noise suppression' }).uncheck()
      await page.getByRole('radio', { name: 'Push to talk' }).check({ force: true })
      await page.getByRole('button', { name: 'Change' }).click()
      await page.getByRole('button', { name: 'Press a key…' }).press('F8')
      await page.reload()
      await expect
        .poll(() => microphones(page).evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.label))
        .toBe('Fake Audio Input 2')
      await expect.poll(() => page.getByRole('switch', { name: 'Noise suppression' }).isChecked()).toBe(false)
      await expect.poll(() => page.getByRole('radio', { name: 'Push to talk' }).isChecked()).toBe(true)
      await page.getByRole('main').getByText('F8', { exact: true }).waitFor()

      await page.evaluate(() => {
        const { mediaDevices } = navigator
        const all = mediaDevices.enumerateDevices.bind(mediaDevices)
        mediaDevices.enumerateDevices = async () => (await all()).filter(({ label }) => label !== 'Fake Audio Input 2')
        mediaDevices.dispatchEvent(new Event('devicechange'))
      })
      await page.getByText('“Fake Audio Input 2” was disconnected.').waitFor()
      await expect.poll(() => microphones(page).inputValue()).toBe('')
    })
  },
  // Without windows, Chromium asks again after a reload whether devices may be used.
  { devices: true, windows: true },
)

describeWithMedia(
  'a microphone in a voice room',
  (visitor) => {
    test('can be changed while talking, and transmits with voice activation or push-to-talk', async () => {
      const { his, hers } = await twoAt(visitor, 'voice')
      await join(his, hers)
      await controls(his).getByRole('button', { name: 'Mute microphone', exact: true }).click()
      // A room is connected before the microphone is on the air.
      await hears(his)
      await controls(hers).getByRole('button', { name: 'Voice settings' }).click()
      const settings = hers.getByRole('dialog', { name: 'Voice settings' })
      expect(await axeViolations(hers)).toEqual([])
      await settings.getByRole('switch', { name: 'Noise suppression' }).uncheck()
      await hears(his)
      await settings.getByRole('combobox', { name: 'Microphone' }).selectOption({ label: 'Fake Audio Input 2' })
      await hears(his)
      await settings.getByRole('combobox', { name: 'Speaker' }).selectOption({ index: 1 })

      await settings.getByRole('radio', { name: 'Voice activity' }).check({ force: true })
      await hears(his)
      await settings.getByRole('slider', { name: 'Threshold' }).press('End')
      await hearsNothing(his)
      await settings.getByRole('slider', { name: 'Threshold' }).press('Home')
      await hears(his)

      await settings.getByRole('radio', { name: 'Push to talk' }).check({ force: true })
      await hers.keyboard.press('Escape')
      await settings.waitFor({ state: 'detached' })
      await expect.poll(() => hers.getByRole('status').getByText('Couldn’t switch').count()).toBe(0)
      await hearsNothing(his)
      await hers.keyboard.down('Backquote')
      await hears(his)
      await hers.keyboard.up('Backquote')
      await hearsNothing(his)
      const button = hers.getByRole('button', { name: 'Hold to talk' })
      await button.focus()
      await hers.keyboard.down('Space')
      await hears(his)
      await hers.keyboard.up('Space')
      await hearsNothing(his)
      await button.hover()
      await hers.mouse.down()
      await hears(his)
      await hers.mouse.up()
      await hearsNothing(his)
    })

    test('that the browser refuses is explained, and works after another try', async () => {
      const { enter, owner } = await roomFor(visitor, 'voice')
      const his = await enter(owner)
      await refuseMicrophone(his, 'NotAllowedError')
      await join(his)
      const alert = his.getByRole('main').getByRole('alert')
      await alert.getByText('Select the icon next to the address, allow the microphone').waitFor()
      expect(await axeViolations(his)).toEqual([])
      await controls(his).getByRole('button', { name: 'Unmute microphone' }).waitFor()
      await refuseMicrophone(his, 'NotFoundError')
      await alert.getByRole('button', { name: 'Try again' }).click()
      await alert.getByText('No microphone found').waitFor()
      await refuseMicrophone(his, undefined)
      await alert.getByRole('button', { name: 'Try again' }).click()
      await alert.waitFor({ state: 'detached' })
      await controls(his).getByRole('button', { name: 'Mute microphone', exact: true }).waitFor()
    })
  },
  { only: 'embedded' },
)

describeWithMedia(
  'a voice room on an insecure page',
  (visitor) => {
    test('at another address than PUBLIC_URL says that talking takes https, and lets people listen', async () => {
      const { enter, ada, url, owner } = await roomFor(visitor, 'voice')
      await join(await enter(ada))
      const plain = url.replace(/\/\/[^:/]+/, `//${PLAIN_HOST}`)
      const provokes = [/Cross-Origin-Opener-Policy/]
      const page = await visitor.open(plain, { ...signedIn(plain, owner), provokes, viewport: DESKTOP })
      await join(page)
      await page.getByRole('main').getByText('open the portal with https:// to talk').waitFor()
      await hears(page)
      await bar(page).waitFor()
    })
  },
  { only: 'embedded' },
)

/** Makes the browser answer like one that refuses the microphone. Undefined: like one that allows it. */
async function refuseMicrophone(page: Page, name: string | undefined): Promise<void> {
  await page.evaluate((errorName) => {
    const { mediaDevices } = navigator
    if (errorName === undefined) Reflect.deleteProperty(mediaDevices, 'getUserMedia')
    else mediaDevices.getUserMedia = () => Promise.reject(new DOMException('refused by the test', errorName))
  }, name)
}
