import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions } from 'playwright-core'
import { CHROMIUM_FLAGS } from '../../e2e/chromium-flags.ts'
import type { Random } from '../random.ts'
import type { FaultyProxy } from './faulty-proxy.ts'
import { VISITORS, type FoundedPortal, type VisitorName } from './found-portal.ts'
import { PortalApi } from './portal-api.ts'
import { readTexts } from './portal-texts.ts'
import type { Usage } from './usage.ts'
import { Visitor, type VisitorOptions } from './visitor.ts'

const PROGRAM = [process.env['PORTICO_CHROMIUM'], process.env['CHROMIUM'], '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
)
const DEVICES = ['--use-fake-device-for-media-stream=fps=10', '--use-fake-ui-for-media-stream']

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

interface Opening extends Pick<VisitorOptions, 'violated' | 'logged'> {
  readonly portal: FoundedPortal
  readonly proxy: FaultyProxy
  readonly target: string
  readonly random: Random
  readonly usage: Usage
  readonly checkout: string
}

/** Four people with a Chromium each, signed in. */
export async function openVisitors(opening: Opening): Promise<{ visitors: Visitor[]; close: () => Promise<void> }> {
  if (PROGRAM === undefined) throw new Error('There is no Chromium; set CHROMIUM to its path')
  const script = stripTypeScriptTypes(await readFile(join(import.meta.dirname, 'page/page-view.ts'), 'utf8'))
  const browsers: Browser[] = []
  const visitors: Visitor[] = []
  for (const name of VISITORS) {
    const args = [...CHROMIUM_FLAGS, '--disable-quic', '--disable-sync', ...DEVICES]
    // The sandbox refuses root and needs privileges that containers lack; only our own pages are opened.
    const browser = await chromium.launch({ executablePath: PROGRAM, args, chromiumSandbox: false, timeout: 120_000 })
    browsers.push(browser)
    visitors.push(await openVisitor(browser, name, script, opening))
  }
  return { visitors, close: async () => void (await Promise.allSettled(browsers.map((browser) => browser.close()))) }
}

async function openVisitor(browser: Browser, name: VisitorName, script: string, opening: Opening): Promise<Visitor> {
  const { portal, proxy, target, random, usage, checkout, violated, logged } = opening
  const plain = await browser.newContext()
  const agent = await (await plain.newPage()).evaluate('navigator.userAgent')
  await plain.close()
  const api = portal.people[name]
  // A session of its own: what ends that of the browser leaves the comparisons alone.
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
  const texts = await readTexts(checkout, name === 'phone' ? 'ru' : 'en')
  const isPhone = name === 'phone'
  const visitor = new Visitor({
    name,
    api,
    context,
    random: random.of(name),
    proxy,
    texts,
    usage,
    isPhone,
    violated,
    logged,
  })
  context.on('page', (page) => {
    // What a link opened: one of the portal’s own is another tab.
    if (!visitor.isOpening) void page.close().catch(() => undefined)
  })
  const [room] = portal.rooms
  await visitor.openTab(room ? `/c/${room.channelId}/${room.id}` : '/')
  return visitor
}
