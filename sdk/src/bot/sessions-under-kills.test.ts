import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { startProgram } from '../../test/start-program.ts'
import { filePositions, sqlitePositions } from '../index.ts'

/** How often the bot is killed. */
const KILLS = Number(process.env['PORTICO_TEST_ROUNDS'] ?? 5)
const program = join(import.meta.dirname, '../../test/counting-bot.ts')

test.each([
  { file: 'position.json', open: filePositions, sessions: 'of each room' },
  { file: 'bot.db', open: sqlitePositions, sessions: 'over all rooms' },
])(
  'a bot that is killed again and again counts every message once ($file, sessions $sessions)',
  async ({ file, open }) => {
    const { server, owner, room, newRoom, bots } = await channelFixture({ bots: 1 })
    const folder = mkdtempSync(join(tmpdir(), 'portico-sdk-sessions-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, file)
    const rooms = [room.id, (await newRoom('text')).id, (await newRoom('text')).id]

    const start = () => startProgram(program, server.url, bots[0].key, path)
    let bot = await start()
    const sent = rooms.map(() => 0)
    const loading = new AbortController()
    const load = rooms.map(async (roomId, index) => {
      while (!loading.signal.aborted) {
        const text = `${index}-${sent[index]}`
        expectOk(await owner.post(`/rooms/${roomId}/messages`, { channelId: room.channelId, text }))
        sent[index] = (sent[index] ?? 0) + 1
        await sleep(5)
      }
    })
    for (let kills = 0; kills < KILLS; kills += 1) {
      const before = sent.reduce((sum, count) => sum + count)
      await eventually(() => sent.reduce((sum, count) => sum + count)).toBeGreaterThan(before + 20)
      await bot.kill()
      bot = await start()
    }
    loading.abort()
    await Promise.all(load)

    const total = sent.reduce((sum, count) => sum + count)
    const keys = file.endsWith('.db') ? [owner.id] : rooms.map((roomId) => `${roomId} ${owner.id}`)
    const expected = keys.length === 1 ? [total] : sent
    const counts = async () => {
      // A new store, as a bot opens one when it starts.
      const store = open(path)
      const sessions = await Promise.all(keys.map((key) => store.loadSession(key)))
      return sessions.map((session) => (JSON.parse(session ?? '{}') as { count?: number }).count)
    }
    await eventually(counts).toEqual(expected)
    await bot.kill()
    expect(await counts()).toEqual(expected)
    expect(total).toBeGreaterThan(20 * KILLS)
  },
)
