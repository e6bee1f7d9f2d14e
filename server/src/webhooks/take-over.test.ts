import type { Room } from '@portico/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { expectOk } from '../../test/expect-ok.ts'
import { startFailingNode } from '../../test/failing-node.ts'
import { redisProgram } from '../../test/redis.ts'
import { startNode } from '../../test/start-node.ts'
import { textOf, WebhookReceiver } from '../../test/webhook-receiver.ts'

describe.skipIf(redisProgram === undefined)('the webhooks of a cluster', () => {
  test.each([
    { signal: 'SIGKILL', what: 'is killed, without waiting until its lease expires' },
    { signal: 'SIGSTOP', what: 'hangs, within ten seconds' },
  ] as const)('go on from another node when the one that sends $what', async ({ signal }) => {
    const { settings, failing, server, owner, channelId } = await startFailingNode()
    const room = expectOk(await owner.post<Room>(`/channels/${channelId}/rooms`, { name: 'workshop', type: 'text' }))
    const bot = await Bot.of(server, owner, 'Bot')
    expectOk(await owner.put(`/channels/${channelId}/applications/${bot.application.id}`, {}))
    const receiver = await WebhookReceiver.start()
    expectOk(await bot.put('/webhook', { url: receiver.url }))
    const say = async (text: string): Promise<unknown> =>
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId, text }))

    const successor = await startNode(settings)
    const { pool } = successor.services.database
    // Only the other node gets the lease.
    await pool.query(`
      CREATE FUNCTION refuse_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER refuse_lease BEFORE UPDATE ON webhooks FOR EACH ROW
      WHEN (NEW.leased_by = '${successor.services.bus.id}') EXECUTE FUNCTION refuse_lease()`)
    // It sends, and gets no answer.
    receiver.replies = ['hang']
    await say('1')
    await receiver.first(1)
    server.url = successor.url
    await say('2')
    const lease = async () => {
      const { rows } = await pool.query<{ holder: string; until: string; now: string }>(
        'SELECT leased_by AS holder, leased_until AS until, now() FROM webhooks WHERE application_id = $1',
        [bot.application.id],
      )
      return rows[0]
    }
    const former = await lease()
    expect(former?.holder).not.toBe(successor.services.bus.id)
    // Other nodes look every second for those that have expired.
    expect(Date.parse(former?.until ?? '') - Date.parse(former?.now ?? '')).toBeLessThanOrEqual(9000)

    receiver.replies = [204]
    await pool.query('DROP TRIGGER refuse_lease ON webhooks')
    failing.kill(signal)
    onTestFinished(() => void failing.kill('SIGCONT'))
    await say('3')
    await receiver.until(() => receiver.texts.length === 3 && receiver.received.length >= 4)
    expect(receiver.received.map(textOf)).toEqual(['1', '1', '2', '3'])
    const taken = await lease()
    expect(taken?.holder).toBe(successor.services.bus.id)
    if (signal === 'SIGKILL') expect(Date.parse(taken?.now ?? '')).toBeLessThan(Date.parse(former?.until ?? ''))
  })
})
