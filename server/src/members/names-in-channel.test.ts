import { expect, test } from 'vitest'
import { channelFixture } from '../../test/channel-fixture.ts'
import { manyMembers } from '../../test/many-members.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { rowsScanned } from '../../test/rows-scanned.ts'
import { alikeInChannel, clearNicknamesLike } from './names-in-channel.ts'

test('a name is compared with those of a large channel by index', async () => {
  const { server, channel, owner, people } = await channelFixture({ people: 1, bots: 2 })
  const [{ id: accountId }] = people
  await manyMembers(server, channel.id, 10_000)
  await queryDatabaseOf(
    server,
    `UPDATE members SET nickname = 'Number ' || account_id WHERE channel_id = '${channel.id}' AND NOT is_bot`,
  )
  const wanted = { accountId, channelId: channel.id }
  for (const name of ['Nobody', owner.name, `Number ${owner.id}`]) {
    expect(await rowsScanned(server, alikeInChannel({ ...wanted, name })), name).toBeLessThan(20)
  }
  expect(await rowsScanned(server, alikeInChannel({ accountId, name: 'Nobody' }))).toBeLessThan(20)
  expect(await rowsScanned(server, clearNicknamesLike(channel.id, accountId))).toBeLessThan(20)
})
