import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeViolations } from '../axe-violations.ts'
import { describeWithMedia } from './media-under-test.ts'
import { controls, hears, hearsNothing, join, seesPicture, tile, twoAt } from './voice-visit.ts'

describeWithMedia(
  'a person in a voice room',
  (visitor) => {
    test('has a volume for each listener, and a camera in full screen and picture in picture', async () => {
      const { ada, his, hers } = await twoAt(visitor, 'voice')
      await join(his, hers)
      await controls(his).getByRole('button', { name: 'Mute microphone', exact: true }).click()
      await hears(his)
      await tile(his, ada).getByRole('button').click()
      const volume = his.getByRole('slider', { name: 'Volume' })
      await volume.press('PageDown')
      await expect.poll(() => volumes(his)).toEqual([0.9])
      expect(await axeViolations(his)).toEqual([])
      await volume.press('Home')
      await his.keyboard.press('Escape')
      await tile(his, ada).getByText('muted for you').waitFor({ state: 'attached' })
      await hearsNothing(his)
      // The choice outlives the visit.
      await his.reload()
      await join(his)
      await tile(his, ada).getByText('muted for you').waitFor({ state: 'attached' })
      await tile(his, ada).getByRole('button').click()
      await volume.press('End')
      await hears(his)
      await his.keyboard.press('Escape')
      await volume.waitFor({ state: 'detached' })

      await controls(hers).getByRole('button', { name: 'Turn camera on' }).click()
      const video = his.getByLabel(`${ada.name}’s camera`)
      await video.waitFor()
      await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.videoWidth)).toBeGreaterThan(0)
      expect(await axeViolations(his)).toEqual([])
      await tile(his, ada).getByRole('button', { name: 'Full screen' }).click()
      await tile(his, ada).getByRole('button', { name: 'Exit full screen' }).click()
      await tile(his, ada).getByRole('button', { name: 'Full screen', exact: true }).waitFor()
      await tile(his, ada).getByRole('button', { name: 'Picture in picture' }).click()
      await tile(his, ada).getByRole('button', { name: 'Close picture in picture' }).click()
      await tile(his, ada).getByRole('button', { name: 'Picture in picture', exact: true }).waitFor()

      // The system’s media controls show the room until it is left.
      const shown = () =>
        his.evaluate(() => [navigator.mediaSession.metadata?.title, navigator.mediaSession.playbackState])
      expect(await shown()).toEqual(['stand-up', 'playing'])
      await controls(his).getByRole('button', { name: 'Leave room' }).click()
      await expect.poll(shown).toEqual([undefined, 'none'])
    })
  },
  { only: 'embedded' },
)

describeWithMedia(
  'a camera',
  (visitor) => {
    test('is not sent while nobody sees it', async () => {
      const { ada, his, hers } = await twoAt(visitor, 'voice')
      await join(hers)
      await controls(hers).getByRole('button', { name: 'Turn camera on' }).click()
      await expect.poll(() => sendsPictures(hers)).toBe(true)
      await expect.poll(() => sendsPictures(hers)).toBe(false)
      await join(his)
      await seesPicture(his, `${ada.name}’s camera`)
      expect(await sendsPictures(hers)).toBe(true)
      await controls(his).getByRole('button', { name: 'Leave room' }).click()
      await expect.poll(() => sendsPictures(hers)).toBe(false)
    })
  },
  { only: 'embedded' },
)

describeWithMedia(
  'a voice room whose sound is blocked',
  (visitor) => {
    test('explains it, and turns it on with a click', async () => {
      const { his, hers } = await twoAt(visitor, 'voice')
      await his.evaluate(() => {
        const { prototype } = HTMLMediaElement
        const { play } = prototype
        prototype.play = () => Promise.reject(new DOMException('refused by the test', 'NotAllowedError'))
        addEventListener('test-allows-sound', () => (prototype.play = play))
      })
      await join(his, hers)
      const alert = his.getByRole('main').getByRole('alert')
      await alert.getByText('Your browser blocked the sound.').waitFor()
      await his.evaluate(() => void dispatchEvent(new Event('test-allows-sound')))
      await alert.getByRole('button', { name: 'Turn on sound' }).click()
      await alert.waitFor({ state: 'detached' })
      await hears(his)
    })
  },
  { only: 'embedded' },
)

/** How loud the page plays the others. */
function volumes(page: Page): Promise<number[]> {
  return page.locator('audio').evaluateAll((all: HTMLAudioElement[]) => all.map(({ volume }) => volume))
}

/** Whether a layer of the camera is encoded. */
function sendsPictures(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { peerConnections = [] } = window as { peerConnections?: RTCPeerConnection[] }
    const senders = peerConnections.flatMap((connection) => connection.getSenders())
    const pictures = senders.filter(({ track }) => track?.kind === 'video')
    return pictures.some((sender) => sender.getParameters().encodings.some(({ active }) => active))
  })
}
