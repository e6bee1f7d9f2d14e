import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'

/** How often the bot is killed. */
const KILLS = Number(process.env['PORTICO_TEST_ROUNDS'] ?? 6)
const program = join(import.meta.dirname, '../../test/recording-bot.ts')

test('a bot that is killed again and again under load handles every event', async () => {
  const { server, owner, room, newRoom, bots } = await channelFixture({ bots: 1 })
  const folder = mkdtempSync(join(tmpdir(), 'portico-sdk-crash-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const rooms = [room.id, (await newRoom('text')).id, (await newRoom('text')).id]
  const handled = () => {
    const path = join(folder, 'handled.txt')
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  }

  const start = async () => {
    const child = spawn(process.execPath, [program, server.url, bots[0].key, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    await Promise.race([once(child.stdout, 'data'), ended])
    return { kill: async () => (child.kill('SIGKILL'), ended) }
  }

  let bot = await start()
  const sent: string[] = []
  const loading = new AbortController()
  const load = rooms.map(async (roomId, index) => {
    for (let at = 0; !loading.signal.aborted; at += 1) {
      const text = `${index}-${at}`
      expectOk(await owner.post(`/rooms/${roomId}/messages`, { channelId: room.channelId, text }))
      sent.push(text)
      await sleep(2)
    }
  })
  for (let kills = 0; kills < KILLS; kills += 1) {
    await sleep(Math.random() * 150)
    await bot.kill()
    bot = await start()
  }
  loading.abort()
  await Promise.all(load)

  const texts = () => new Set(handled().map((line) => line.split(' ')[1] ?? ''))
  await eventually(() => sent.filter((text) => !texts().has(text))).toEqual([])
  await bot.kill()
  // Whatever was handled twice has the same id both times.
  const ids = new Map<string, string>()
  for (const line of handled()) {
    const [id = '', text = ''] = line.split(' ')
    expect(ids.get(text) ?? id).toBe(id)
    ids.set(text, id)
  }
  expect(sent.length).toBeGreaterThan(KILLS)
})
