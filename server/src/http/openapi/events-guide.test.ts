import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { expectOk } from '../../../test/expect-ok.ts'
import { freePort } from '../../../test/free-port.ts'
import { portal, channelFixture } from '../../../test/channel-fixture.ts'
import { pythonWith } from '../../../test/python-with.ts'
import { newWebhookSecret, signedHeaders } from '../../webhooks/signing.ts'
import { EVENTS_GUIDE } from './events-guide.ts'

const root = join(import.meta.dirname, '../../../..')
const programsIn = (language: string): string[] =>
  [...EVENTS_GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]+?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code)
const [listener = '', check = ''] = programsIn('js')
const [sdkListener = ''] = programsIn('ts')
const [pythonListener = '', pythonCheck = ''] = programsIn('python')
const python = await pythonWith('python-guide', ['centrifuge-python>=0.5,<1', 'httpx>=0.27,<1'], 'centrifuge, httpx')

/** Runs a program of the guide as copied. */
function run(code: string, env: NodeJS.ProcessEnv, interpreter?: string) {
  const [file, args] = interpreter
    ? [interpreter, ['-u', '-c', code]]
    : [process.execPath, ['--input-type=module', '--eval', code]]
  const child = spawn(file, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'close')
  })
  return child
}

interface Listener {
  readonly how: string
  readonly code: string
  /** Added to the program, so that it says when it receives events. */
  readonly listens?: string
  readonly interpreter?: string
}

describe('the guide to events', () => {
  beforeAll(async () => {
    // Programs connect to the portal's public address, which must be real here.
    const port = await freePort()
    await portal({ PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` })
  })

  const listeners = [
    // Prints that it is online by itself.
    { how: 'the SDK', code: sdkListener },
    { how: 'JavaScript', code: listener, listens: `events.on('subscribed', () => console.log('listens'))` },
  ]
  test.each([...listeners, ...(python ? [{ how: 'Python', code: pythonListener, interpreter: python }] : [])])(
    'contains a program with $how that receives events',
    async ({ code, listens = '', interpreter }: Listener) => {
      const {
        server,
        owner,
        room,
        channel,
        bots: [bot],
      } = await channelFixture({ bots: 1 })
      expect(code).toContain('https://chat.example')
      const here = code.replace('https://chat.example', server.url)
      const program = interpreter
        ? here.replace('    await asyncio.Event()', `    await events.ready(timeout=60)\n    print("listens")\n$&`)
        : `${here}\n${listens}`
      const lines = createInterface(run(program, { PORTICO_KEY: bot.key }, interpreter).stdout)[Symbol.asyncIterator]()

      expect((await lines.next()).value).toMatch(/^listens$|is online$/)
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Is it green?' }))
      expect((await lines.next()).value).toMatch(/^message\.created/)
    },
  )

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

  test.skipIf(python === undefined)('contains the same signature check in Python', async () => {
    const [body, secret] = ['{"event":"ping"}', newWebhookSecret()]
    const headers = signedHeaders({ deliveryId: 'one', event: 'ping', body, secret, timestamp: 0 })
    const [given, header, key] = [body, headers['X-Service-Signature'], secret].map((text) => JSON.stringify(text))
    const calls = [`b${given}`, `b${given} + b" "`].map((bytes) => `print(is_genuine(${bytes}, ${header}, ${key}))`)
    const child = run([pythonCheck, ...calls, `print(is_genuine(b"", None, ${key}))`].join('\n'), {}, python)
    let said = ''
    child.stdout.on('data', (piece: Buffer) => (said += piece.toString()))
    await once(child, 'close')
    expect(said).toBe('True\nFalse\nFalse\n')
  })
})
