import { isIPv6 } from 'node:net'
import type { Config } from '../../config.ts'
import { hasCode } from '../../db/embedded/file-faults.ts'
import { ARRIVAL_PATH, arrivalToken, type Arrival } from '../../http/arrival-route.ts'
import { keptSecret, openSecret } from '../../secret.ts'
import { programVersion } from '../../program-version.ts'
import { ask, type Answered } from './ask.ts'
import { driftOf } from './check-clock.ts'
import { checkProxy } from './check-proxy.ts'
import { fault, fine, warning, type Finding, type Findings } from './finding.ts'
import { whyUnreachable } from './why-unreachable.ts'

const PORTAL = 'Portal'
const PUBLIC = 'Public address'

/** Asks the running portal how requests arrive there: directly, and by the address that people type. */
export async function* checkAddresses(config: Config): Findings {
  yield* checkPublicUrl(config)
  const local = localUrl(config)
  if (local === undefined) {
    yield warning(PORTAL, 'PORT=0 is another port at every start: it cannot be found', 'Set PORT to have it checked.')
    return
  }
  const token = await tokenOf(config)
  const { finding, reached } = await checkPortal(local, token)
  yield finding
  if (!reached) return

  const { PUBLIC_URL } = config
  let answer: Answered
  try {
    answer = await ask({ url: PUBLIC_URL + ARRIVAL_PATH, token, upgrade: false })
  } catch (error) {
    const { text, cure } = whyUnreachable(error, PUBLIC_URL)
    yield fault(PUBLIC, text, cure)
    return
  }
  const arrival = arrivalOf(answer)
  if (!arrival) {
    yield foreign(answer, PUBLIC_URL)
    return
  }
  yield fine(PUBLIC, PUBLIC_URL === local ? `${PUBLIC_URL} leads here` : `${PUBLIC_URL} leads here, to ${local}`)
  const drift = driftOf(`that of ${PUBLIC_URL}`, Date.parse(answer.date ?? ''), answer)
  if (drift.grade !== 'fine') yield drift
  yield checkProxy(arrival, config)
  yield await checkUpgrade(PUBLIC_URL, token)
}

/** What can be said about PUBLIC_URL without asking anybody. */
function* checkPublicUrl({ PUBLIC_URL, HOST, TRUSTED_PROXIES }: Config): Generator<Finding, void> {
  const { hostname, protocol } = new URL(PUBLIC_URL)
  if (isLoopback(hostname)) {
    if (isLoopback(HOST)) return
    yield warning(
      PUBLIC,
      `HOST=${HOST} lets other machines in, and PUBLIC_URL=${PUBLIC_URL} is an address that leads nowhere on them`,
      'Set PUBLIC_URL to the address that people type.',
    )
  } else if (protocol === 'http:') {
    yield warning(
      PUBLIC,
      `${PUBLIC_URL} is not encrypted: passwords can be overheard, and browsers refuse the microphone`,
      'Put a reverse proxy with a certificate in front, and set PUBLIC_URL=https://…',
    )
  } else if (TRUSTED_PROXIES.length === 0) {
    yield warning(
      PUBLIC,
      'https is spoken by a reverse proxy, and TRUSTED_PROXIES is not set: all visitors seem to come from one address',
      'Set TRUSTED_PROXIES to the address of the proxy, often 127.0.0.1',
    )
  }
}

interface PortalCheck {
  readonly finding: Finding
  readonly reached: boolean
}

async function checkPortal(local: string, token: string): Promise<PortalCheck> {
  let answer: Answered
  try {
    answer = await ask({ url: local + ARRIVAL_PATH, token, upgrade: false })
  } catch (error) {
    if (!hasCode(error, 'ECONNREFUSED')) {
      const { text } = whyUnreachable(error, local)
      return { finding: fault(PORTAL, text, 'Check HOST and PORT, or restart the portal.'), reached: false }
    }
    const cure = 'Start it and run the doctor again: the address, the proxy and WebSocket can only be checked then.'
    return { finding: warning(PORTAL, `nothing runs at ${local}`, cure), reached: false }
  }
  const arrival = arrivalOf(answer)
  if (!arrival) return { finding: stranger(answer, local), reached: false }
  const version = programVersion()
  const finding =
    arrival.version === version
      ? fine(PORTAL, `version ${version} runs at ${local}`)
      : warning(PORTAL, `version ${arrival.version} runs at ${local}, and this is ${version}`, 'Restart the portal.')
  return { finding, reached: true }
}

function stranger(answer: Answered, local: string): Finding {
  if (isPortico(answer)) {
    return fault(
      PORTAL,
      `a Portico with another secret runs at ${local}`,
      'Run the doctor with the same PORTICO_DATA and PORTICO_SECRET as the portal, or give one of the two another PORT.',
    )
  }
  return fault(PORTAL, `another program answers at ${local}`, 'Stop it, or choose another PORT.')
}

function foreign(answer: Answered, url: string): Finding {
  const { status, location } = answer
  if (isPortico(answer)) {
    return fault(PUBLIC, `${url} leads to another Portico`, 'Correct the DNS entry, the reverse proxy or PUBLIC_URL.')
  }
  if (location !== undefined && status >= 300 && status < 400) {
    const to = URL.canParse(location, url) ? new URL(location, url).origin : location
    return fault(PUBLIC, `${url} redirects to ${location}`, `If that is the portal's address, set PUBLIC_URL=${to}`)
  }
  if (status >= 502 && status <= 504) {
    return fault(
      PUBLIC,
      `${url} answers ${status}: the reverse proxy does not reach the portal`,
      'Let it pass requests on to the HOST and PORT of the portal. From another machine or container HOST must be 0.0.0.0',
    )
  }
  return fault(
    PUBLIC,
    `${url} answers ${status}, and not as a Portico`,
    'Correct PUBLIC_URL, or let the reverse proxy pass every path of that address on to the portal.',
  )
}

async function checkUpgrade(url: string, token: string): Promise<Finding> {
  const answer = await ask({ url: url + ARRIVAL_PATH, token, upgrade: true })
  if (answer.status === 101 || arrivalOf(answer)?.upgrade) return fine('WebSocket', `the upgrade passes at ${url}`)
  return fault(
    'WebSocket',
    'the upgrade is lost on the way',
    'Let the reverse proxy pass the headers Connection and Upgrade on. Samples: docs/self-hosting.md',
  )
}

/** Before the first start there is no secret, and nothing that knows it. */
async function tokenOf(config: Config): Promise<string> {
  const known = config.PORTICO_SECRET ?? (await keptSecret(config))
  return known === undefined ? '' : arrivalToken(await openSecret(config))
}

function localUrl({ HOST, PORT }: Config): string | undefined {
  if (PORT === 0) return undefined
  if (HOST === '0.0.0.0') return `http://127.0.0.1:${PORT}`
  if (HOST === '::') return `http://[::1]:${PORT}`
  return `http://${isIPv6(HOST) ? `[${HOST}]` : HOST}:${PORT}`
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1|\[::1\])$/.test(host)
}

function arrivalOf({ status, body }: Answered): Arrival | undefined {
  if (status !== 200) return undefined
  const parsed = parse(body)
  return parsed && 'version' in parsed && 'believed' in parsed ? (parsed as Arrival) : undefined
}

/** The answer of a Portico that does not know our secret. */
function isPortico({ status, body }: Answered): boolean {
  const parsed = parse(body)
  return status === 403 && parsed !== undefined && 'status' in parsed && parsed.status === 'error'
}

function parse(body: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}
