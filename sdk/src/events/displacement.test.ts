import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'

const program = join(import.meta.dirname, '../../test/recording-bot.ts')

test('of two processes with one key, the second receives the events, and the first ends without fighting back', async () => {
  const { server, owner, room, bots } = await channelFixture({ bots: 1 })
  const parent = mkdtempSync(join(tmpdir(), 'portico-sdk-displacement-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))

  const start = async (name: string) => {
    const folder = join(parent, name)
    mkdirSync(folder)
    const child = spawn(process.execPath, [program, server.url, bots[0].key, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'close')
    let output = ''
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    await eventually(() => output).toContain('started')
    const file = join(folder, 'handled.txt')
    return { ended, output: () => output, handled: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') }
  }
  const say = async (text: string) =>
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))

  const first = await start('first')
  await say('before')
  await eventually(first.handled).toContain('before')
  const second = await start('second')
  // Nothing is left to do for it: it has no connection, and no timer to open one.
  expect(await first.ended).toEqual([0, null])
  expect(first.output()).toContain('Another process uses this key')
  expect(first.output()).not.toContain('disconnected')

  await say('after')
  await eventually(second.handled).toContain('after')
  expect(first.handled()).not.toContain('after')
  expect(second.output()).toBe('started\n')
})
