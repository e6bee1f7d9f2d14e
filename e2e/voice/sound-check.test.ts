import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeViolations } from '../axe-violations.ts'
import { PHONE } from '../portal-visit.ts'
import { describeWithMedia } from './media-under-test.ts'
import { controls, hears, join, tile, twoAt } from './voice-visit.ts'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Sound check' })
const finding = (page: Page, title: string) => dialog(page).getByRole('listitem').filter({ hasText: title })

async function openCheck(page: Page): Promise<void> {
  await controls(page).getByRole('button', { name: 'Voice settings' }).click()
  await page.getByRole('button', { name: 'What’s wrong with my sound?' }).click()
  await dialog(page).getByRole('list', { name: 'Results' }).waitFor()
}

async function checkAgain(page: Page): Promise<void> {
  await dialog(page).getByRole('button', { name: 'Check again' }).click()
  await dialog(page).getByText('Say something for a few seconds.').waitFor()
  await dialog(page).getByRole('list', { name: 'Results' }).waitFor()
}

describeWithMedia('the sound check', (visitor) => {
  test('says that everything works, or what doesn’t and what to do', async () => {
    const { ada, his, hers } = await twoAt(visitor, 'voice')
    await join(his, hers)
    await hears(his)
    await openCheck(his)
    await finding(his, 'Microphone OK').getByText('“Fake Default Audio Input” works').waitFor()
    await finding(his, 'Speaker OK').getByRole('button', { name: 'Play a test sound' }).waitFor()
    await finding(his, 'Connection OK').getByText('directly to the media server, over UDP').waitFor()
    await finding(his, 'Network')
      .getByText(/Round trip \d+ ms\. Lost on the way: \d+%/)
      .waitFor()
    expect(await axeViolations(his)).toEqual([])
    await dialog(his).getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog(his).waitFor({ state: 'detached' })

    await controls(his).getByRole('button', { name: 'Mute microphone', exact: true }).click()
    await tile(his, ada).getByRole('button').first().click()
    await his.getByRole('slider', { name: 'Volume' }).press('Home')
    await his.keyboard.press('Escape')
    await his.emulateMedia({ colorScheme: 'dark' })
    await his.setViewportSize(PHONE)
    await openCheck(his)
    await finding(his, 'Microphone Problem').getByText('Unmute it.').waitFor()
    await finding(his, 'Speaker Take a look').getByText(`You’ve muted ${ada.name} for yourself`).waitFor()
    expect(await axeViolations(his)).toEqual([])
    await checkAgain(his)
    await finding(his, 'Microphone Problem').waitFor()
  })
})

describeWithMedia(
  'the sound check on a network that blocks UDP',
  (visitor) => {
    test('says so, and which port has to be allowed', async () => {
      const { his } = await twoAt(visitor, 'voice')
      await his.addInitScript(() => {
        const { prototype } = RTCPeerConnection
        const add = prototype.addIceCandidate
        prototype.addIceCandidate = function (candidate) {
          return candidate?.candidate?.includes(' udp ')
            ? Promise.resolve()
            : (Reflect.apply(add, this, [candidate]) as Promise<void>)
        }
        const describe = prototype.setRemoteDescription
        prototype.setRemoteDescription = function ({ type, sdp = '' }) {
          return Reflect.apply(describe, this, [
            { type, sdp: sdp.replaceAll(/^a=candidate:\S+ 1 udp .*\r\n/gm, '') },
          ]) as Promise<void>
        }
      })
      await his.reload()
      await join(his)
      await openCheck(his)
      const { port } = visitor.media.portal.server.services.embeddedMedia!.place
      await finding(his, 'Connection Take a look').getByText(`allow UDP to port ${port}.`).waitFor()
    })
  },
  { only: 'embedded' },
)
