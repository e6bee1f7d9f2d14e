import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { beforeAll, describe, inject, onTestFinished } from 'vitest'
import { CHROMIUM_FLAGS } from './chromium-flags.ts'
import { recordPeerConnections } from './peer-connections.ts'

/** The path of the browser, if there is one. `npm test` searches more places and passes it in PORTICO_CHROMIUM. */
export const executablePath = [process.env['PORTICO_CHROMIUM'], process.env['CHROMIUM'], '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
)

/** Chromium without its own windows, which halves the processor time of a visit. Debian packages it separately. */
const HEADLESS_SHELL = '/usr/lib/chromium/chromium-headless-shell'
const headlessShell = process.env['CHROMIUM'] === undefined && existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : undefined

export interface Visit extends BrowserContextOptions {
  /** Other hosts that this test is expected to reach, such as `localhost:4000`. */
  readonly alsoHosts?: readonly string[]
  /** Errors that this test provokes, such as /status of 401/. It fails if one of them does not occur. */
  readonly provokes?: readonly RegExp[]
  /** Errors that may or may not occur, such as those of a connection that is cut at any moment. */
  readonly excuses?: readonly RegExp[]
}

export interface Visitor {
  /**
   * Opens a URL as a new visitor: no cookies, nothing stored. The test fails if the visit sends a request to a foreign host,
   * logs an error to the console (a blocked Content-Security-Policy request does) or leaves one uncaught.
   */
  readonly open: (url: string, visit?: Visit) => Promise<Page>
}

/** A `describe` whose tests are listed as skipped if there is no browser. */
export function describeInBrowser(name: string, tests: (visitor: Visitor) => void, equipment: Equipment = {}): void {
  describe.skipIf(executablePath === undefined || equipment.missing === true)(name, () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await sharedBrowser(equipment)
    })
    tests({ open: (url, visit) => open(browser, url, visit) })
  })
}

/** A browser of its own with fake devices, started by this program. Closed after the test. */
export async function openDeviceBrowser(program: string): Promise<Visitor> {
  const browser = await openBrowser(program, fakeDevices())
  onTestFinished(() => browser.close())
  return { open: (url, visit) => open(browser, url, visit) }
}

/**
 * The browsers of this worker, by their program and flags. All its test files share them; each visit has its own context.
 * A browser ends when the worker ends, with the pipe between them.
 */
const browsers = new Map<string, Promise<Browser>>()

async function sharedBrowser({ devices, windows }: Equipment): Promise<Browser> {
  const program = (windows ? undefined : headlessShell) ?? executablePath
  if (program === undefined) throw new Error('There is no Chromium; set CHROMIUM to its path')
  const flags = devices ? fakeDevices() : []
  const key = [program, ...flags].join(' ')
  const running = await browsers.get(key)
  // One that has crashed fails the tests of its file only.
  if (running?.isConnected()) return running
  const starting = openBrowser(program, flags)
  browsers.set(key, starting)
  return starting
}

/** A name of this machine that browsers do not treat as a secure context, like a portal in a local network. */
export const PLAIN_HOST = 'portico.test'

/** What tests need in addition to a browser. */
export interface Equipment {
  /** A fake microphone with speech, a fake camera with a clock, and permission for both. */
  readonly devices?: true
  /** A browser with windows, which can show notifications and install apps. */
  readonly windows?: true
  /** Something that these tests require is missing on this machine. */
  readonly missing?: boolean
}

function fakeDevices(): string[] {
  return [
    // Ten pictures a second show as much as twenty, and take half the time to encode and decode.
    '--use-fake-device-for-media-stream=fps=10',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-audio-capture=${inject('speechFile')}`,
  ]
}

function openBrowser(program: string, flags: readonly string[]): Promise<Browser> {
  const names = `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`
  const args = [...CHROMIUM_FLAGS, '--disable-quic', '--disable-sync', names, ...flags]
  // The sandbox refuses root and needs privileges that containers lack; we only open our own pages.
  return chromium.launch({ executablePath: program, args, chromiumSandbox: false, timeout: 120_000 })
}

async function open(
  browser: Browser,
  url: string,
  { alsoHosts = [], provokes = [], excuses = [], ...options }: Visit = {},
) {
  const hosts = new Set([new URL(url).host, ...alsoHosts])
  const errors: string[] = []
  const checkHost = (address: string) => {
    const { protocol, host } = new URL(address)
    if (!['data:', 'blob:', 'about:'].includes(protocol) && !hosts.has(host)) errors.push(`foreign host: ${address}`)
  }

  // Transitions would take a seventh of the processor time. Only tests of the service worker have one: it installs in the
  // background, whatever else is tested.
  const context = await browser.newContext({ reducedMotion: 'reduce', serviceWorkers: 'block', ...options })
  await context.addInitScript(recordPeerConnections)
  // As long as for whole tests: on a busy machine only a hang may time out.
  context.setDefaultTimeout(120_000)
  onTestFinished(async () => {
    await context.close()
    checkErrors(errors, provokes, excuses)
  })
  context.on('request', (request) => checkHost(request.url()))
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => errors.push(`uncaught: ${String(error.error().stack ?? error.error())}`))
  context.on('page', (page) => page.on('websocket', (socket) => checkHost(socket.url())))

  const page = await context.newPage()
  await page.goto(url)
  return page
}

function checkErrors(errors: readonly string[], provoked: readonly RegExp[], excused: readonly RegExp[]) {
  const expected = [...provoked, ...excused]
  const unwanted = errors.filter((error) => !expected.some((pattern) => pattern.test(error)))
  const missing = provoked.filter((pattern) => !errors.some((error) => pattern.test(error)))
  // Vitest can't report an error whose message contains a stack that the browser has shortened.
  const reported = unwanted.map((error) => error.replaceAll(/\n\s*at /g, ', at '))
  if (reported.length > 0) throw new Error(`The page had errors:\n${reported.join('\n')}`)
  if (missing.length > 0) throw new Error(`Expected errors did not occur:\n${missing.join('\n')}`)
}
