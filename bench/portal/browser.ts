import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { CHROMIUM_FLAGS } from '../../e2e/chromium-flags.ts'
import { measureInPage } from './in-page.ts'
import type { Seeded, SeededRoom } from './seed.ts'

const PATIENCE = 120_000

/** Code that is optimized while it runs stays in the heap and would look like a leak. */
export const UNOPTIMIZED = ['--js-flags=--no-opt --no-maglev --no-sparkplug']

export function openBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env['PORTICO_CHROMIUM']
  if (executablePath === undefined) throw new Error('There is no Chromium; set CHROMIUM to its path')
  const args = [...CHROMIUM_FLAGS, ...more]
  // The sandbox refuses root and needs rights that containers lack; the pages are our own.
  return chromium.launch({ executablePath, args, chromiumSandbox: false, timeout: PATIENCE })
}

/** A signed-in person with an empty cache. */
export async function newVisitor(browser: Browser, { origin, cookie }: Seeded): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } })
  context.setDefaultTimeout(PATIENCE)
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url: origin }])
  await context.addInitScript(measureInPage)
  return context
}

/** Opens a room by its address. Gives when its first message was painted, in milliseconds from the start. */
export async function openRoom(context: BrowserContext, { origin }: Seeded, { name, path }: SeededRoom) {
  const page = await context.newPage()
  // Installed before the page's own code, so it observes from the first frame on.
  await page.addInitScript((roomName) => {
    sessionStorage.setItem('opened', '')
    void globalThis.inPage.painted(roomName).then((at) => sessionStorage.setItem('opened', String(at)))
  }, name)
  await page.goto(origin + path, { waitUntil: 'commit' })
  const painted = await page.waitForFunction(() => sessionStorage.getItem('opened'))
  return { page, painted: Number(await painted.jsonValue()) }
}

/** Clicks on a room in the list. Gives how long its first message took, in milliseconds. */
export async function switchTo(page: Page, { name, path }: SeededRoom): Promise<number> {
  const painted = page.evaluate((roomName) => globalThis.inPage.paintedAfterClick(roomName), name)
  await page.locator(`nav a[href="${path}"]`).click()
  return painted
}
