import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { openRoom, row } from './chat-visit.ts'
import { loaded, pictureFile, textFile, upload } from './files-visit.ts'
import { DESKTOP, focused, PHONE } from '../portal-visit.ts'

describeInBrowser('pictures in messages', ({ open }) => {
  test('keep their place before they are loaded', async () => {
    const { server, owner, room } = await channelFixture()
    const { channelId } = room
    const write = async (text: string) => expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId, text }))
    const wide = await upload(owner, room.id, await pictureFile('wide.png', { width: 1600, height: 400 }))
    const tall = await upload(owner, room.id, await pictureFile('tall.png', { width: 300, height: 900 }))
    await write(`Wide\n\n${wide.markdown}`)
    await write(`Both\n\n${tall.markdown}\n${wide.markdown}`)
    await write('The end')

    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    await page.route('**/files/*/preview', async (route) => {
      await released
      await route.continue()
    })
    await page.reload()
    const end = row(page, 'The end')
    await end.waitFor()
    await row(page, 'Both').getByRole('img').nth(1).waitFor({ state: 'attached' })
    const before = await placesOf(page)
    release()
    await loaded(page.getByRole('article').getByRole('img'), 3)
    expect(await placesOf(page)).toEqual(before)
  })

  test('open large, are browsed and enlarged by keyboard, and give the focus back', async () => {
    const { server, owner, room } = await channelFixture()
    const { channelId } = room
    const [first, second] = [
      await pictureFile('first.png', { width: 1600, height: 900 }),
      await pictureFile('second.png'),
    ]
    const texts = [await upload(owner, room.id, first), await upload(owner, room.id, second)].map(
      ({ markdown }) => markdown,
    )
    const text = `Two\n\n${texts.join('\n').replace('![second.png]', '![A blue field]')}`
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId, text }))
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    await loaded(row(page, 'Two').getByRole('img'), 2)
    expect(await axeViolations(page)).toEqual([])

    const opener = row(page, 'Two').getByRole('button', { name: 'Open picture: first.png', exact: true })
    await opener.focus()
    await page.keyboard.press('Enter')
    const lightbox = page.getByRole('dialog', { name: 'Pictures' })
    const picture = (name: string) => lightbox.getByRole('img', { name, exact: true })
    await loaded(picture('first.png'), 1)
    await lightbox.getByText('1 of 2').waitFor()

    await page.keyboard.press('+')
    await lightbox.locator('img[src*="/first.png"][style*="scale(1.5)"]').waitFor()
    await page.keyboard.press('-')
    await lightbox.locator('img[style*="scale(1)"]').waitFor()
    await page.keyboard.press('+')
    await page.keyboard.press('0')
    await lightbox.locator('img[style*="scale(1)"]').waitFor()
    await page.keyboard.press('ArrowRight')
    await loaded(picture('A blue field'), 1)
    await lightbox.getByText('2 of 2').waitFor()
    await page.keyboard.press('ArrowRight')
    await picture('first.png').waitFor()
    await page.keyboard.press('ArrowLeft')
    await picture('A blue field').waitFor()

    for (let step = 0; step < 8; step += 1) await page.keyboard.press('Tab')
    await lightbox.locator(':focus').waitFor()
    const downloading = page.waitForEvent('download')
    await lightbox.getByRole('link', { name: 'Download second.png', exact: true }).click()
    expect((await downloading).suggestedFilename()).toBe('second.png')
    await page.keyboard.press('Escape')
    await lightbox.waitFor({ state: 'detached' })
    await focused(page, opener)
  })

  test('are joined by sound that plays in place, and by video that is downloaded if it can’t be played', async () => {
    const { server, owner, room } = await channelFixture()
    const sound = await upload(owner, room.id, { name: 'hum.wav', mimeType: 'audio/wav', buffer: silence() })
    const broken = await upload(owner, room.id, textFile('clip.mp4', 'no video'))
    const text = `Listen\n\n${sound.markdown}\n${broken.markdown}`
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    const player = row(page, 'Listen').locator('audio[aria-label="Audio: hum.wav"]')
    const duration = () => player.evaluate((audio) => (audio instanceof HTMLAudioElement ? audio.duration : 0))
    await expect.poll(duration, { timeout: 60_000 }).toBeCloseTo(1)
    await row(page, 'Listen').locator('video').waitFor({ state: 'detached' })
    await row(page, 'Listen').getByRole('link', { name: 'Download clip.mp4' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  test('are browsed by swiping on a phone, and closed by swiping down', async () => {
    const { server, owner, room } = await channelFixture()
    const { channelId } = room
    const files = [await pictureFile('first.png'), await pictureFile('second.png')]
    const uploaded = await Promise.all(files.map((file) => upload(owner, room.id, file)))
    const text = uploaded.map(({ markdown }) => markdown).join('\n')
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId, text }))
    const phone = { viewport: PHONE, hasTouch: true, isMobile: true }
    const page = await openRoom(open, { url: server.url, room }, owner, phone)
    await page.getByRole('button', { name: 'Open picture: first.png', exact: true }).tap()
    const lightbox = page.getByRole('dialog', { name: 'Pictures' })
    await loaded(lightbox.getByRole('img', { name: 'first.png', exact: true }), 1)
    await swipe(page, { x: 300, y: 300 }, { x: 100, y: 310 })
    await lightbox.getByText('2 of 2').waitFor()
    await loaded(lightbox.getByRole('img', { name: 'second.png', exact: true }), 1)
    await swipe(page, { x: 200, y: 200 }, { x: 210, y: 420 })
    await lightbox.waitFor({ state: 'detached' })
  })
})

/** A second of silence as a WAV file. */
function silence(): Buffer {
  const [rate, header] = [8000, Buffer.alloc(44)]
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + rate, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(rate, 40)
  return Buffer.concat([header, Buffer.alloc(rate, 128)])
}

/** Where each message begins, rounded to pixels. */
function placesOf(page: Page): Promise<number[]> {
  return page.getByRole('article').evaluateAll((rows) => rows.map((one) => Math.round(one.getBoundingClientRect().top)))
}

async function swipe(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  const touch = await page.context().newCDPSession(page)
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [from] })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [to] })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await touch.detach()
}
