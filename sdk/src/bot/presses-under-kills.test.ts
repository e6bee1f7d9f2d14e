import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message, OwnChannel, Room } from '@portico/contract'
import { expect, onTestFinished, test } from 'vitest'
import { Bot } from '../../../server/test/bot.ts'
import { expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { portalProcess } from '../../test/portal-process.ts'
import { startProgram } from '../../test/start-program.ts'

/** How often the bot is killed; every second time the portal as well. */
const KILLS = Number(process.env['PORTICO_TEST_ROUNDS'] ?? 5)
/** How many people press at the same time, each in a room of their own. */
const ROOMS = 3
const program = join(import.meta.dirname, '../../test/pressed-bot.ts')

// The timeout only catches a hang: 50 kills take many minutes on a busy machine.
test(
  'a press is answered exactly once, however often the bot and the portal are killed',
  { timeout: 3_600_000 },
  async () => {
    const { url, owner, restart } = await portalProcess()
    const { id: channelId } = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Counters', open: true }))
    const application = await Bot.of({ url }, owner, 'Counter')
    const { id: applicationId } = application.application
    expectOk(await owner.put(`/applications/${applicationId}/limits`, { requests: 1_000_000, writes: 1_000_000 }))
    expectOk(await owner.put(`/channels/${channelId}/applications/${applicationId}`, {}))
    const counters: { readonly at: string; readonly id: string }[] = []
    for (const index of Array(ROOMS).keys()) {
      const room = { name: `counter ${index}`, type: 'text' }
      const at = `/rooms/${expectOk(await owner.post<Room>(`/channels/${channelId}/rooms`, room)).id}/messages`
      const components = [{ type: 'button', id: 'count', label: 'Count' }]
      const { id } = expectOk(await application.post<Message>(at, { channelId, text: 'Press', components }))
      counters.push({ at, id })
    }

    const folder = mkdtempSync(join(tmpdir(), 'portico-sdk-presses-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const start = () => startProgram(program, url, application.key, folder)

    let bot = await start()
    const acknowledged: string[] = []
    const pressing = new AbortController()
    const presses = counters.map(async ({ at, id }) => {
      while (!pressing.signal.aborted) {
        const body = { channelId, componentId: 'count' }
        const answer = await owner.post<{ id: string }>(`${at}/${id}/presses`, body).catch(() => undefined)
        if (answer?.status === 201) acknowledged.push(answer.body.id)
        await sleep(20)
      }
    })
    for (let kills = 1; kills <= KILLS; kills += 1) {
      const before = acknowledged.length
      // A kill while nothing is pressed would interrupt nothing.
      await eventually(() => acknowledged.length).toBeGreaterThan(before + 5)
      await sleep(randomInt(100))
      const isWithPortal = kills % 2 === 0
      await Promise.all([bot.kill(), isWithPortal && restart()])
      bot = await start()
    }
    pressing.abort()
    await Promise.all(presses)

    const answers = async () => {
      const all: Message[] = []
      for (const { at } of counters) {
        let beforeId = ''
        for (;;) {
          const path = `${at}?channelId=${channelId}&limit=100${beforeId && `&beforeId=${beforeId}`}`
          const { messages, hasMore } = expectOk(await application.get<{ messages: Message[]; hasMore: boolean }>(path))
          all.push(...messages)
          beforeId = messages.at(-1)?.id ?? ''
          if (!hasMore) break
        }
      }
      return all.filter(({ replyToId }) => replyToId !== undefined).map(({ text }) => text)
    }
    await eventually(async () => new Set(await answers()).isSupersetOf(new Set(acknowledged))).toBe(true)
    await bot.kill()
    const texts = await answers()
    expect(new Set(texts).size).toBe(texts.length)
    // Those whose acknowledgement was lost.
    expect(texts.length - acknowledged.length).toBeLessThanOrEqual(ROOMS * KILLS)
  },
)
