import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectOk } from '../../../test/expect-ok.ts'
import { freePort } from '../../../test/free-port.ts'
import { portal, channelFixture } from '../../../test/channel-fixture.ts'
import { newWebhookSecret, signedHeaders } from '../../webhooks/signing.ts'
import { EVENTS_GUIDE } from './events-guide.ts'

const root = join(import.meta.dirname, '../../../..')
const [listener = '', check = ''] = [...EVENTS_GUIDE.matchAll(/^```js\n([\s\S]+?)^```$/gm)].map(([, code = '']) => code)

/** Runs a program of the guide as copied. */
function run(code: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'close')
  })
  return child
}

describe('the guide to events', () => {
  test('contains a program that receives events', async () => {
    // The program connects to the portal's public address, which must be real here.
    const port = await freePort()
    await portal({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` })
    const {
      server,
      owner,
      room,
      channel,
      bots: [bot],
    } = await channelFixture({ bots: 1 })
    expect(listener).toContain('https://chat.example')
    const program = `${listener.replace('https://chat.example', server.url)}\nevents.on('subscribed', () => console.log('listens'))`
    const lines = createInterface(run(program, { PORTICO_KEY: bot.key }).stdout)[Symbol.asyncIterator]()

    expect((await lines.next()).value).toBe('listens')
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Is it green?' }))
    expect((await lines.next()).value).toMatch(/^message\.created/)
  })

  test('contains a signature check that rejects forged deliveries', async () => {
    const [body, secret] = ['{"event":"ping"}', newWebhookSecret()]
    const headers = signedHeaders({ deliveryId: 'one', event: 'ping', body, secret, timestamp: 0 })
    const calls = [body, `${body} `].map(
      (text) => `console.log(isGenuine(Buffer.from(${JSON.stringify(text)}), HEADER, SECRET))`,
    )
    const given = `const [HEADER, SECRET] = ${JSON.stringify([headers['X-Service-Signature'], secret])}`
    const child = run([check, given, ...calls].join('\n'), {})
    let said = ''
    child.stdout.on('data', (piece: Buffer) => (said += piece.toString()))
    await once(child, 'close')
    expect(said).toBe('true\nfalse\n')
  })
})
