import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS, type OwnChannel, type Room } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { expectOk } from '../../test/expect-ok.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'
import { queryDatabase } from '../../test/query-database.ts'

const DEADLINE = LIMITS.requestDeadline * 1000

describe.skipIf(process.platform === 'win32')('a process that is suspended until after the deadline', () => {
  test('acknowledges what was committed meanwhile', async () => {
    const { url: DATABASE_URL } = await testDatabase()
    const portico = await startPortico({ DATABASE_URL })
    const owner = await new Person(portico).setUp(/set-up\?code=(\w+)/.exec(portico.output())?.[1] ?? '')
    const { id: channelId } = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`/channels/${channelId}/rooms`))
    const roomId = rooms.find(({ type }) => type === 'text')?.id ?? ''
    const stored = () => queryDatabase(DATABASE_URL, 'SELECT text FROM messages')

    // The message waits for this lock in the database.
    const lock = 'BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(2); COMMIT'
    const locked = queryDatabase(DATABASE_URL, lock)
    await sleep(500)
    const sent = owner.post(`/rooms/${roomId}/messages`, { channelId, text: 'Bonjour' })
    await sleep(500)
    portico.kill('SIGSTOP')
    await locked
    await eventually(stored).toEqual([{ text: 'Bonjour' }])
    await sleep(DEADLINE)
    portico.kill('SIGCONT')
    expect((await sent).status).toBe(201)
    expect(await stored()).toHaveLength(1)
  })
})
