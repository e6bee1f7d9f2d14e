import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeViolations } from '../axe-violations.ts'
import { describePeerConnections } from '../peer-connections.ts'
import { PHONE, tabTo } from '../portal-visit.ts'
import { describeWithMedia } from './media-under-test.ts'
import { controls, hears, join, seesPicture, tile, twoAt } from './voice-visit.ts'

const large = (page: Page) => page.getByRole('region', { name: 'Large picture' })
const screens = (page: Page) => page.getByRole('list', { name: 'Shared screens' })
async function sharesScreen(page: Page, name: string): Promise<void> {
  try {
    await screens(page).getByLabel(`${name}’s screen`).waitFor()
  } catch (error) {
    const [text, connections] = [await page.locator('body').innerText(), await describePeerConnections(page)]
    throw new Error(`Nothing is shared from this page:\n${text}\n${connections}`, { cause: error })
  }
}
const share = (page: Page) => controls(page).getByRole('button', { name: 'Share screen' }).click()

describeWithMedia('a voice room', (visitor) => {
  test('shows several screens, one of them large, and cameras by choice', async () => {
    const { owner, ada, his, hers } = await twoAt(visitor, 'voice')
    await join(his, hers)
    for (const person of [owner, ada]) {
      await tile(his, person)
        .getByText(/(excellent|good|weak) connection/)
        .waitFor({ state: 'attached' })
    }

    await share(hers)
    await large(his).waitFor()
    await seesPicture(his, `${ada.name}’s screen`)
    await his.getByRole('status').getByText(`Sharing a screen: ${ada.name}`).waitFor({ state: 'attached' })
    // Nobody’s own screen becomes large by itself.
    await screens(hers).getByLabel(`${ada.name}’s screen`).waitFor()
    expect(await large(hers).count()).toBe(0)
    expect(await axeViolations(his)).toEqual([])

    await share(his)
    await sharesScreen(his, owner.name)
    await large(hers).getByLabel(`${owner.name}’s screen`).waitFor()
    await tabTo(hers, screens(hers).getByRole('button', { name: `${ada.name}’s screen` }), 'Shift+Tab')
    await hers.keyboard.press('Enter')
    await large(hers).getByLabel(`${ada.name}’s screen`).waitFor()
    await screens(hers).getByLabel(`${owner.name}’s screen`).waitFor()

    await large(his).getByRole('button', { name: 'Full screen' }).click()
    await large(his).getByRole('button', { name: 'Exit full screen' }).click()
    await large(his).getByRole('button', { name: 'Picture in picture' }).click()
    await large(his).getByRole('button', { name: 'Close picture in picture' }).click()
    await large(his).getByRole('button', { name: 'Show everyone' }).click()
    await large(his).waitFor({ state: 'detached' })
    expect(await screens(his).getByRole('listitem').count()).toBe(2)
    expect(await axeViolations(his)).toEqual([])

    await controls(hers).getByRole('button', { name: 'Turn camera on' }).click()
    await seesPicture(his, `${ada.name}’s camera`)
    await tile(his, ada).getByRole('button', { name: 'Enlarge' }).click()
    await large(his).getByLabel(`${ada.name}’s camera`).waitFor()
    await his.emulateMedia({ colorScheme: 'dark' })
    await his.setViewportSize(PHONE)
    expect(await axeViolations(his)).toEqual([])

    for (const page of [his, hers]) await controls(page).getByRole('button', { name: 'Stop sharing' }).click()
    await screens(his).waitFor({ state: 'detached' })
    await controls(hers).getByRole('button', { name: 'Turn camera off' }).click()
    await large(his).waitFor({ state: 'detached' })
  })
})

describeWithMedia(
  'a shared screen with sound',
  (visitor) => {
    test('is heard by the others, without what its owner hears of the room', async () => {
      const { his, hers } = await twoAt(visitor, 'voice')
      await join(his, hers)
      for (const page of [his, hers]) {
        await controls(page).getByRole('button', { name: 'Mute microphone', exact: true }).click()
      }
      await hers.evaluate(() => {
        const { mediaDevices } = navigator
        const capture = mediaDevices.getDisplayMedia.bind(mediaDevices)
        mediaDevices.getDisplayMedia = async (wanted) => {
          document.documentElement.dataset['wanted'] = JSON.stringify(wanted)
          const screen = await capture({ ...wanted, audio: false })
          const context = new AudioContext()
          const sound = context.createMediaStreamDestination()
          const note = new OscillatorNode(context)
          note.connect(sound)
          note.start()
          for (const track of sound.stream.getTracks()) screen.addTrack(track)
          return screen
        }
      })
      await share(hers)
      await hears(his)
      expect(JSON.parse((await hers.getAttribute('html', 'data-wanted')) ?? '')).toMatchObject({
        audio: { restrictOwnAudio: true, echoCancellation: false },
      })
    })
  },
  { only: 'embedded' },
)
