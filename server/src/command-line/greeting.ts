import { instanceFacts } from '../accounts/instance.ts'
import { setUpCode } from '../accounts/set-up.ts'
import { COMMAND } from '../config/command.ts'
import { isLoopback } from '../config/is-loopback.ts'
import type { Services } from '../operations/services.ts'
import type { Running } from './program.ts'

/** Printed after the start: the addresses, and how to create the first administrator. */
export async function greeting(running: Running, more: readonly string[] = []): Promise<string> {
  const { config, secret, database, version } = running.services
  const url = config.PUBLIC_URL
  const { needsSetUp } = await instanceFacts(database.kysely)
  const storage = config.DATABASE_URL === null ? '' : ' (the database is at DATABASE_URL)'
  const lines = [
    `Portico ${version} is running.`,
    '',
    `  Portal         ${url}`,
    ...otherDevices(running.services),
    `  Applications   ${url}/apps`,
    `  API reference  ${url}/docs`,
    `  Voice          ${voiceLine(running.services)}`,
    `  Data folder    ${config.PORTICO_DATA}${storage}`,
    '',
  ]
  if (needsSetUp) {
    lines.push(
      'There’s no administrator yet. Create the first one:',
      `  ${url}/set-up?code=${setUpCode(secret)}`,
      `  or on this machine: ${COMMAND} create-admin <name>`,
      '',
    )
  }
  lines.push(...more, 'Ctrl+C stops it.', '')
  return `\n${lines.map((line) => (line ? `  ${line}` : '')).join('\n')}\n`
}

/** How other devices open a portal whose address is one of this machine only. */
function otherDevices({ config: { HOST, PUBLIC_URL }, https }: Services): string[] {
  if (https) {
    return [
      `  Other devices  ${https.url}`,
      '                 The browser warns once, because this portal created its certificate itself. Continue anyway.',
      '                 Everyone in your network can open this address. HTTPS_PORT=off turns it off.',
    ]
  }
  if (!isLoopback(new URL(PUBLIC_URL).hostname)) return []
  const can = isLoopback(HOST) ? 'can’t open it' : 'can listen; to talk they need https'
  return [`  Other devices  ${can}. HTTPS_PORT=auto lets them: see “In a home network” in docs/self-hosting.md`]
}

function voiceLine({ config, embeddedMedia }: Services): string {
  if (config.LIVEKIT_URL !== null) return `LiveKit at ${config.LIVEKIT_URL}`
  if (!embeddedMedia) return config.REDIS_URL === null ? 'off (MEDIA=off)' : 'off (a cluster needs LIVEKIT_URL)'
  const { port, announced } = embeddedMedia.place
  return `media on ${port}/udp+tcp, announced as ${announced.join(', ')}`
}
