import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import type { Random } from '../random/random.ts'
import { launchChromium, type BrowserEnd, type Chromium } from './chromium.ts'
import type { FaultyProxy } from './faulty-proxy.ts'
import { VISITORS, type FoundedPortal, type VisitorName } from './found-portal.ts'
import { PortalApi } from './portal-api.ts'
import { readTexts } from './portal-texts.ts'
import type { Usage } from './usage.ts'
import { Visitor, type VisitorOptions } from './visitor.ts'

const LOOKS: Readonly<Record<VisitorName, BrowserContextOptions>> = {
  owner: { locale: 'en-GB', viewport: { width: 1280, height: 800 } },
  moderator: { locale: 'en-US', viewport: { width: 1000, height: 700 }, reducedMotion: 'reduce' },
  member: { locale: 'en-GB', viewport: { width: 1600, height: 900 }, colorScheme: 'dark' },
  phone: {
    locale: 'ru-RU',
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    hasTouch: true,
    isMobile: true,
  },
}

interface Opening extends Pick<VisitorOptions, 'violated' | 'logged' | 'isMachineBusy'> {
  readonly portal: FoundedPortal
  readonly proxy: FaultyProxy
  readonly target: string
  readonly random: Random
  readonly usage: Usage
  readonly checkout: string
  /** A browser has ended, and not because it was closed. */
  readonly lost: (visitor: Visitor, end: BrowserEnd) => void
}

/** Four people with a Chromium each, signed in. One that ends is replaced when its person needs it. */
export async function openVisitors(opening: Opening): Promise<{ visitors: Visitor[]; close: () => Promise<void> }> {
  const { random, checkout, portal } = opening
  const script = stripTypeScriptTypes(await readFile(join(import.meta.dirname, 'page/page-view.ts'), 'utf8'))
  const opened: Chromium[] = []
  let isClosing = false
  const visitors: Visitor[] = []
  for (const name of VISITORS) {
    const isPhone = name === 'phone'
    const openBrowser = async (): Promise<BrowserContext> => {
      const chromium = await launchChromium()
      opened.push(chromium)
      void chromium.ended.then((end) => !isClosing && opening.lost(visitor, end))
      return openContext(chromium.browser, name, script, opening)
    }
    const visitor = new Visitor({
      ...opening,
      name,
      api: portal.people[name],
      openBrowser,
      random: random.of(name),
      texts: await readTexts(checkout, isPhone ? 'ru' : 'en'),
      isPhone,
    })
    visitors.push(visitor)
    const [room] = portal.rooms
    await visitor.openBrowser(room ? `/c/${room.channelId}/${room.id}` : '/')
  }
  const close = async (): Promise<void> => {
    isClosing = true
    await Promise.allSettled(opened.map((chromium) => chromium.close()))
  }
  return { visitors, close }
}

/** Signed in, with a session of its own: what ends that of the browser leaves the comparisons alone. */
async function openContext(
  browser: Browser,
  name: VisitorName,
  script: string,
  { portal, proxy, target }: Opening,
): Promise<BrowserContext> {
  const plain = await browser.newContext()
  const agent = await (await plain.newPage()).evaluate('navigator.userAgent')
  await plain.close()
  const api = portal.people[name]
  const session = new PortalApi(api.name, target, proxy.url)
  session.password = api.password
  await session.signIn()
  const [cookie = '', value = ''] = session.cookie.split('=')
  const context = await browser.newContext({
    ...LOOKS[name],
    userAgent: `${String(agent)} (${name})`,
    permissions: ['microphone', 'camera', 'notifications', 'clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
  })
  await context.addCookies([{ name: cookie, value, url: proxy.url, httpOnly: true, sameSite: 'Lax' }])
  await context.addInitScript({ content: `{${script}}` })
  // Nothing leaves this machine.
  await context.route(
    (url) => url.host !== new URL(proxy.url).host,
    (route) => route.abort(),
  )
  return context
}
