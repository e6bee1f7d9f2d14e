import { Client } from 'pg'
import { expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { Person } from '../../test/person.ts'

const { server } = await portal({ DATABASE_POOL_SIZE: '5' })

test('people can write while eighty sign-ins with one name wait for each other', async () => {
  const { owner, room } = await channelFixture()
  const { name, password } = await new Person(server).signUp()
  // Another node is counting an attempt with the same name.
  const other = new Client({ connectionString: server.services.config.DATABASE_URL ?? '' })
  await other.connect()
  await other.query('BEGIN')
  await other.query('SELECT pg_advisory_xact_lock(hashtextextended(lower($1), 0))', [`account:${name}\n`])
  const attempts = Array.from({ length: 80 }, () => new Person(server).post('/sessions', { name, password }))
  await expect
    .poll(async () => {
      const { rows } = await other.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)
      return rows.length
    })
    .toBeGreaterThan(0)
  const { pool } = server.services.database
  for (let sent = 0; sent < 5; sent += 1) {
    const message = { channelId: room.channelId, text: `message ${sent}` }
    expectOk(await owner.post(`/rooms/${room.id}/messages`, message))
    expect(pool.waitingCount).toBe(0)
  }
  await other.query('COMMIT')
  await other.end()
  // All of them know the password. Those that waited for longer than a request may take are refused.
  for (const { status } of await Promise.all(attempts)) expect([201, 429, 504]).toContain(status)
})
