import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'
import { CHROMIUM_FLAGS } from '../../e2e/chromium-flags.ts'

export const PROGRAM = [process.env['PORTICO_CHROMIUM'], process.env['CHROMIUM'], '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
)
const DEVICES = ['--use-fake-device-for-media-stream=fps=10', '--use-fake-ui-for-media-stream']
/** In milliseconds. */
const STARTS_WITHIN = 120_000
/** By these, others end a process; the system does when there is no memory left. */
const OF_OTHERS: ReadonlySet<string> = new Set(['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGKILL'])

export interface BrowserEnd {
  /** It ended without a request to. */
  readonly isCrash: boolean
  /** The signal or the exit code. */
  readonly how: string
}

export interface Chromium {
  readonly browser: Browser
  /** Of its first process. */
  readonly pid: number
  readonly ended: Promise<BrowserEnd>
  close(): Promise<void>
}

/** A Chromium of its own. */
export async function launchChromium(): Promise<Chromium> {
  if (PROGRAM === undefined) throw new Error('There is no Chromium; set CHROMIUM to its path')
  const args = [...CHROMIUM_FLAGS, '--disable-quic', '--disable-sync', ...DEVICES]
  // The sandbox refuses root and needs privileges that containers lack; only our own pages are opened.
  const options = { executablePath: PROGRAM, args, chromiumSandbox: false, timeout: STARTS_WITHIN, host: '127.0.0.1' }
  // Only a server tells how its process ended.
  const server = await chromium.launchServer(options)
  const { pid = 0 } = server.process()
  const ended = once(server.process(), 'exit').then(([code, signal]) =>
    endOf(code as number | null, signal as string | null),
  )
  const browser = await chromium.connect(server.wsEndpoint(), { timeout: STARTS_WITHIN })
  return { browser, pid, ended, close: () => server.close() }
}

export function endOf(code: number | null, signal: string | null): BrowserEnd {
  if (signal === null) return { isCrash: code !== 0, how: `exit code ${code}` }
  return { isCrash: !OF_OTHERS.has(signal), how: signal }
}
