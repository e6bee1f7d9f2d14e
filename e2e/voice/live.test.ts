import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeViolations } from '../axe-violations.ts'
import { describeWithMedia } from './media-under-test.ts'
import { PHONE } from '../portal-visit.ts'
import { hears, isConnected, roomFor, seesPicture, twoAt } from './voice-visit.ts'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Go live' })
const roomLink = (page: Page) =>
  page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: /^stand-up/ })

describeWithMedia('a broadcast', (visitor) => {
  test('starts with a preview of the camera, and the room list shows who is live and how many watch', async () => {
    const { owner, his, hers } = await twoAt(visitor, 'stream')
    await hers.getByRole('button', { name: 'Watch' }).waitFor()
    await expect.poll(() => hers.getByRole('button', { name: 'Go live' }).count()).toBe(0)
    await his.getByRole('button', { name: 'Go live' }).click()
    await seesPicture(his, 'Preview')
    expect(await axeViolations(his)).toEqual([])
    await expect.poll(() => roomLink(hers).getByText('Live').count()).toBe(0)
    await dialog(his).getByRole('button', { name: 'Go live' }).click()
    await dialog(his).waitFor({ state: 'detached' })
    await seesPicture(his, `${owner.name}’s camera`)

    await roomLink(hers).getByText('Live').waitFor()
    await hers.getByRole('list', { name: 'Live in stand-up' }).getByText(owner.name).waitFor()
    await hers.getByRole('main').getByText(`Live now: ${owner.name}`).waitFor()
    expect(await axeViolations(hers)).toEqual([])
    await hers.getByRole('button', { name: 'Watch' }).click()
    await isConnected(hers)
    await seesPicture(hers, `${owner.name}’s camera`)
    await hears(hers)
    await roomLink(his).getByText('1 watching').waitFor({ state: 'attached' })
    await his.getByText('1 viewer', { exact: true }).waitFor({ state: 'attached' })

    await hers.getByRole('region', { name: 'Stage' }).getByRole('button', { name: 'Full screen' }).click()
    await hers.getByRole('button', { name: 'Exit full screen' }).click()
    await his.getByRole('button', { name: 'End broadcast' }).click()
    await hers.getByText('Nobody is broadcasting yet').waitFor()
    await roomLink(hers).getByText('Live').waitFor({ state: 'detached' })
    await his.getByRole('button', { name: 'Go live' }).waitFor()
  })

  test('of a screen asks for it once', async () => {
    const { owner, his, hers } = await twoAt(visitor, 'stream')
    await hers.getByRole('button', { name: 'Watch' }).click()
    await his.getByRole('button', { name: 'Go live' }).click()
    await dialog(his).getByRole('radio', { name: 'Screen' }).check({ force: true })
    await expect.poll(() => dialog(his).getByRole('button', { name: 'Go live' }).isDisabled()).toBe(true)
    await his.evaluate(() => {
      const { mediaDevices } = navigator
      const ask = mediaDevices.getDisplayMedia.bind(mediaDevices)
      mediaDevices.getDisplayMedia = (options) => {
        mediaDevices.getDisplayMedia = () => Promise.reject(new Error('requested twice'))
        return ask(options)
      }
    })
    await dialog(his).getByRole('button', { name: 'Choose what to share' }).click()
    await seesPicture(his, 'Preview')
    await dialog(his).getByRole('switch', { name: 'With microphone' }).uncheck()
    await dialog(his).getByRole('button', { name: 'Go live' }).click()
    await seesPicture(hers, `${owner.name}’s screen`)
    await his.getByRole('main').getByRole('button', { name: 'Unmute microphone' }).waitFor()
  })

  test('that is not started lets the camera go', async () => {
    const { enter, owner } = await roomFor(visitor, 'stream', { viewport: PHONE, colorScheme: 'dark' })
    const his = await enter(owner)
    await his.getByRole('button', { name: 'Go live' }).click()
    await seesPicture(his, 'Preview')
    expect(await axeViolations(his)).toEqual([])
    const track = await his
      .getByLabel('Preview')
      .evaluateHandle(({ srcObject }: HTMLVideoElement) => (srcObject as MediaStream).getVideoTracks()[0])
    await dialog(his).getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => track.evaluate((captured) => captured?.readyState)).toBe('ended')
  })
})
