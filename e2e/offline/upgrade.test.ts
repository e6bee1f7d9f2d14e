import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { field, openRoom, row } from '../chat/chat-visit.ts'
import { received, shortcutsLoaded } from '../portal-visit.ts'

/** Lets every file of the portal be missing: until its version has been requested, or for good. */
async function removeFiles(page: Page, version: string, { forGood = false } = {}): Promise<void> {
  let isGone = true
  await page.route('**/_app/immutable/**', (route) => (isGone ? route.fulfill({ status: 404 }) : route.continue()))
  await page.route('**/_app/version.json', (route) => {
    isGone = forGood
    return route.fulfill({ json: { version } })
  })
}

describeInBrowser('a page whose files were removed by an upgrade', ({ open }) => {
  test('loads again when it needs one of them, and keeps what is being written', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [/status of 404/] })
    await shortcutsLoaded(page)
    await field(page).fill('half a sentence')
    await page.evaluate(() => Object.assign(globalThis, { isOldPage: true }))
    await removeFiles(page, 'another')
    await page.keyboard.press('Control+/')
    await expect.poll(() => page.evaluate(() => 'isOldPage' in globalThis).catch(() => true)).toBe(false)
    await expect.poll(() => field(page).inputValue()).toBe('half a sentence')
    await shortcutsLoaded(page)
    await page.keyboard.press('Control+/')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  })

  test('stays as it is if the portal has the same version, because then the connection is to blame', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [/status of 404/] })
    // What the page loads later is there before the files are gone, except for the dialog.
    const subscribed = received(page, '"subscribe"')
    await page.reload()
    await Promise.all([subscribed, field(page).waitFor()])
    await shortcutsLoaded(page)
    const { version } = (await (await fetch(`${server.url}/_app/version.json`)).json()) as { version: string }
    await page.evaluate(() => Object.assign(globalThis, { isOldPage: true }))
    await removeFiles(page, version, { forGood: true })
    await page.keyboard.press('Control+/')
    await page.getByText('The problem is on our side. Try again in a moment.').waitFor()
    expect(await page.evaluate(() => 'isOldPage' in globalThis)).toBe(true)
  })
})

describeInBrowser('a page whose files aren’t on every node', ({ open }) => {
  test('loads each of them from another node', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    const redirected: string[] = []
    // As a node of another version answers; the redirected request reaches the server.
    await page.route('**/_app/immutable/**', (route) => {
      const url = route.request().url()
      redirected.push(url)
      return route.fulfill({ status: 307, headers: { location: `${url}?attempt=1`, 'cache-control': 'no-store' } })
    })
    await page.reload()
    await field(page).fill('From another node')
    await field(page).press('Enter')
    await row(page, 'From another node').waitFor()
    const kinds = ['.js', '.css', '.woff2'].filter((kind) => redirected.some((url) => url.endsWith(kind)))
    expect(kinds).toEqual(['.js', '.css', '.woff2'])
  })
})
