import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { acceptsConnections } from '../accepts-connections.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'

/** The TURN server coturn, if it is installed. */
export const coturnPath = ['/usr/bin/turnserver', '/usr/local/bin/turnserver'].find((path) => existsSync(path))

/** Starts a TURN server on this machine, and returns the settings of a portal that uses it. Stopped after the test. */
export async function startCoturn() {
  if (coturnPath === undefined) throw new Error('coturn is not installed')
  const port = await freePort()
  const secret = 'a-secret-of-at-least-16-characters'
  const options = [
    '--use-auth-secret',
    `--static-auth-secret=${secret}`,
    '--realm=turn.test',
    '--listening-ip=127.0.0.1',
    `--listening-port=${port}`,
    '--relay-ip=127.0.0.1',
    '--allow-loopback-peers',
    '--no-tls',
    '--no-dtls',
    '--no-cli',
    '--log-file=stdout',
    '--simple-log',
    '--verbose',
  ]
  const server = spawn(coturnPath, ['-n', ...options])
  const ended = once(server, 'exit')
  onTestFinished(async () => {
    server.kill()
    await ended
  })
  const output: string[] = []
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => void output.push(String(text)))
  // A client that finds nobody there does not try again.
  await eventually(() => acceptsConnections(port)).toBe(true)
  return {
    settings: { TURN_URL: `turn:127.0.0.1:${port}?transport=tcp`, TURN_SECRET: secret },
    /** What it has logged. */
    log: () => output.join(''),
  }
}
