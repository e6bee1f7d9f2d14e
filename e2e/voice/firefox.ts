import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { isFullRun } from '../../server/test/full-run.ts'

/** Debian’s Firefox, which Playwright cannot drive: it wants one of its own. */
export const firefoxPath = [process.env['FIREFOX'], '/usr/bin/firefox-esr', '/usr/bin/firefox'].find(
  (path) => isFullRun && path !== undefined && existsSync(path),
)

/** Where tests with Firefox announce media: it connects to no server that is reached at 127.0.0.1 only. */
export const firefoxMediaAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** In milliseconds: on a busy machine only a hang may time out. */
const PATIENCE = 120_000

/** A fake microphone and camera, without a question to the person. The portal is shown in English. */
const PREFERENCES = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
  'media.autoplay.default': 0,
  'intl.accept_languages': 'en-GB',
  'datareporting.policy.dataSubmissionEnabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'app.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
}

export interface FirefoxPage extends AsyncDisposable {
  open(url: string): Promise<void>
  /** Runs a function in the page. What goes in and out must survive JSON. */
  evaluate<Value>(run: () => Value | Promise<Value>): Promise<Value>
  evaluate<Value, Given>(run: (given: Given) => Value | Promise<Value>, given: Given): Promise<Value>
  /** Runs a function in the page until it returns true. */
  until<Given>(run: (given: Given) => boolean | Promise<boolean>, given: Given): Promise<void>
  /** Presses a button when it is there. */
  press(name: string): Promise<void>
  /** Fills in a field when it is there. */
  fill(label: string, text: string): Promise<void>
}

/** Starts a Firefox with one page, driven over WebDriver BiDi. */
export async function startFirefox(): Promise<FirefoxPage> {
  const profile = await mkdtemp(join(tmpdir(), 'portico-firefox-'))
  const preferences = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
  )
  await writeFile(join(profile, 'user.js'), preferences.join('\n'))
  const browser = spawn(
    firefoxPath!,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    {
      env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' },
    },
  )
  const address = await new Promise<string>((resolve, reject) => {
    let output = ''
    browser.on('exit', () => reject(new Error(`Firefox has ended: ${output}`)))
    browser.stderr.on('data', (text) => {
      output += String(text)
      const listening = /WebDriver BiDi listening on (ws:\S+)/.exec(output)
      if (listening) resolve(listening[1]!)
    })
  })
  const call = await connect(`${address}/session`)
  // As after the warning about a certificate of the portal's own, which was accepted.
  await call('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } })
  await call('script.addPreloadScript', { functionDeclaration: String(collectConnections) })
  const { contexts } = await call<{ contexts: { context: string }[] }>('browsingContext.getTree', {})
  const { context } = contexts[0]!

  const page: FirefoxPage = {
    async open(url) {
      await call('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    async evaluate<Value>(run: (given: never) => Value, given?: unknown) {
      const expression = `(async () => JSON.stringify(await (${String(run)})(${JSON.stringify(given)})) ?? 'null')()`
      const answer = await call<ScriptAnswer>('script.evaluate', {
        expression,
        target: { context },
        awaitPromise: true,
      })
      if (answer.type === 'exception') throw new Error(answer.exceptionDetails?.text)
      return JSON.parse(answer.result!.value) as Awaited<Value>
    },
    until: (run, given) => expect.poll(() => page.evaluate(run, given), { timeout: PATIENCE }).toBe(true),
    press: (name) => page.until(pressButton, name),
    fill: (label, text) => page.until(fillField, { label, text }),
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => browser.once('exit', resolve))
      await call('browser.close', {}).catch(() => browser.kill('SIGKILL'))
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return page
}

declare global {
  /** The peer connections of a page in Firefox. */
  var peerConnections: RTCPeerConnection[]
}

/** Runs in a page before its own scripts. */
function collectConnections(): void {
  globalThis.peerConnections = []
  globalThis.RTCPeerConnection = new Proxy(RTCPeerConnection, {
    construct: (target, args: [RTCConfiguration?]) => {
      const connection = new target(...args)
      peerConnections.push(connection)
      return connection
    },
  })
}

/** Runs in the page. False if there is no such button that can be pressed. */
function pressButton(name: string): boolean {
  const found = [...document.querySelectorAll('button')].find(
    (button) => (button.ariaLabel ?? button.textContent.trim()) === name && !button.disabled,
  )
  found?.click()
  return found !== undefined
}

/** Runs in the page. False if there is no such field. */
function fillField({ label, text }: { readonly label: string; readonly text: string }): boolean {
  const named = [...document.querySelectorAll('label')].find(({ textContent }) => textContent.trim() === label)
  if (!(named?.control instanceof HTMLInputElement)) return false
  named.control.value = text
  return named.control.dispatchEvent(new Event('input', { bubbles: true }))
}

interface ScriptAnswer {
  readonly type: 'success' | 'exception'
  readonly result?: { readonly value: string }
  readonly exceptionDetails?: { readonly text: string }
}

async function connect(address: string) {
  const socket = new WebSocket(address)
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let calls = 0
  socket.on('message', (data: Buffer) => {
    const { id, type, result, message } = JSON.parse(data.toString()) as Answer
    if (type === 'success') waiting.get(id)?.resolve(result)
    if (type === 'error') waiting.get(id)?.reject(new Error(message))
  })
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox has ended'))
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return <Result>(method: string, params: object): Promise<Result> => {
    calls += 1
    const answer = Promise.withResolvers<unknown>()
    waiting.set(calls, answer)
    socket.send(JSON.stringify({ id: calls, method, params }))
    return answer.promise as Promise<Result>
  }
}

interface Answer {
  readonly id: number
  readonly type: 'success' | 'error' | 'event'
  readonly result?: unknown
  readonly message?: string
}
