import type { Invitation } from '@portico/contract'
import { sql } from 'kysely'
import { channelFixture, expectOk } from './channel-fixture.ts'
import type { TestServer } from './start-server.ts'

/** A channel that people join by invitation only. */
export async function closedChannel() {
  const made = await channelFixture({ people: 1 })
  expectOk(await made.owner.patch(made.at, { open: false }))
  const invite = async (wish: object = {}) =>
    expectOk(await made.owner.post<Invitation>(`${made.at}/invitations`, wish))
  return { ...made, invite }
}

export async function expireInvitation(server: TestServer, id: string): Promise<void> {
  await sql`UPDATE invitations SET expires_at = now() - interval '1 second' WHERE id = ${id}::uuid`.execute(
    server.services.database.kysely,
  )
}
