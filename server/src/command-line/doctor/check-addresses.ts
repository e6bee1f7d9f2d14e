import { isIPv6 } from 'node:net'
import type { Config } from '../../config/config.ts'
import { StartError } from '../../db/start-error.ts'
import { ARRIVAL_PATH, arrivalToken, largestBody } from '../../http/arrival-route.ts'
import { keptSecret, openSecret } from '../../secrets/secret.ts'
import { SOCKET_PATH } from '../../websocket/get-event-token.ts'
import { arrivalOf, isPortico } from './arrival-of.ts'
import { ask, type Answered } from './ask.ts'
import { driftOf } from './check-clock.ts'
import { checkHttps } from './check-https.ts'
import { checkPortal } from './check-portal.ts'
import { checkProxy } from './check-proxy.ts'
import { checkPublicUrl } from './check-public-url.ts'
import { checkUpload } from './check-upload.ts'
import { failure, ok, warning, type Finding, type Findings } from './finding.ts'
import { whyUnreachable } from './why-unreachable.ts'

const PUBLIC = 'Public address'

/** Checks how requests arrive at the running portal: directly, and through the public address. Returns the former if it runs. */
export async function* checkAddresses(config: Config): AsyncGenerator<Finding, string | undefined> {
  yield* checkPublicUrl(config)
  const local = localUrl(config)
  if (local === undefined) {
    yield warning(
      'Portal',
      'with PORT=0 the port differs at every start, so the doctor can’t find it',
      'Set PORT to a fixed port.',
    )
    return undefined
  }
  const token = await tokenOf(config)
  if (token === undefined) {
    yield warning(
      'Not checked',
      'addresses: the check needs the secret',
      'Make the secret readable and run the doctor again.',
    )
    return undefined
  }
  const { finding, arrival } = await checkPortal(local, token)
  yield finding
  if (!arrival) return undefined
  if (arrival.https) yield await checkHttps(config, arrival.https, token)
  yield* checkPublicAddress(config, local, token)
  return local
}

async function* checkPublicAddress(config: Config, local: string, token: string): Findings {
  const { PUBLIC_URL } = config
  let answer: Answered
  try {
    answer = await ask({ url: PUBLIC_URL + ARRIVAL_PATH, token })
  } catch (error) {
    const { text, hint } = whyUnreachable(error, PUBLIC_URL)
    yield failure(PUBLIC, text, hint)
    return
  }
  const arrival = arrivalOf(answer)
  if (!arrival) {
    yield foreign(answer, PUBLIC_URL)
    return
  }
  yield ok(PUBLIC, PUBLIC_URL === local ? `${PUBLIC_URL} leads here` : `${PUBLIC_URL} leads here, to ${local}`)
  const drift = driftOf(`that of ${PUBLIC_URL}`, Date.parse(answer.date ?? ''), answer)
  if (drift.grade !== 'ok') yield drift
  yield checkProxy(arrival, config)
  yield await checkUpgrade(PUBLIC_URL)
  yield await checkUpload({ url: PUBLIC_URL, token, bodyBytes: largestBody(config) })
}

function foreign(answer: Answered, url: string): Finding {
  const { status, location } = answer
  if (isPortico(answer)) {
    return failure(PUBLIC, `${url} leads to another Portico`, 'Correct the DNS entry, the reverse proxy or PUBLIC_URL.')
  }
  if (location !== undefined && status >= 300 && status < 400) {
    const to = URL.canParse(location, url) ? new URL(location, url).origin : location
    return failure(PUBLIC, `${url} redirects to ${location}`, `If that is the portal’s address, set PUBLIC_URL=${to}`)
  }
  if (status >= 502 && status <= 504) {
    return failure(
      PUBLIC,
      `${url} answers ${status}: the reverse proxy doesn’t reach the portal`,
      'Forward requests to the HOST and PORT of the portal. From another machine or container HOST must be 0.0.0.0',
    )
  }
  return failure(
    PUBLIC,
    `${url} answers ${status}, but it isn’t Portico`,
    'Correct PUBLIC_URL, or forward every path of that address to the portal.',
  )
}

/** Opens the event socket and closes it without sending anything. */
async function checkUpgrade(url: string): Promise<Finding> {
  const answer = await ask({ url: url + SOCKET_PATH, upgrade: true }).catch(() => undefined)
  if (answer?.status === 101) return ok('WebSocket', `opens at ${url}${SOCKET_PATH}`)
  return failure(
    'WebSocket',
    'the upgrade doesn’t reach the portal',
    'Configure the reverse proxy to forward the headers Connection and Upgrade. Samples: docs/self-hosting.md',
  )
}

/** Before the first start there is no secret. Undefined if it exists but can't be read. */
async function tokenOf(config: Config): Promise<string | undefined> {
  try {
    const known = config.PORTICO_SECRET ?? (await keptSecret(config))
    return known === undefined ? '' : arrivalToken(await openSecret(config))
  } catch (error) {
    if (error instanceof StartError) return undefined
    throw error
  }
}

function localUrl({ HOST, PORT }: Config): string | undefined {
  if (PORT === 0) return undefined
  if (HOST === '0.0.0.0') return `http://127.0.0.1:${PORT}`
  if (HOST === '::') return `http://[::1]:${PORT}`
  return `http://${isIPv6(HOST) ? `[${HOST}]` : HOST}:${PORT}`
}
