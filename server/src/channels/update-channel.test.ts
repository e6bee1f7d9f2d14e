import type { AuditEntry, OwnChannel } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('updateChannel', () => {
  test('requires the right, keeps absent fields and writes the changes to the audit log', async () => {
    const { at, owner, people } = await channelFixture({ people: 1 })
    const [member] = people
    expect(await member.patch(at, { name: 'Mine' })).toMatchObject({
      status: 403,
      body: { requiredRight: 'manage_channel' },
    })

    const changed = expectOk(await owner.patch<OwnChannel>(at, { name: 'Forge', description: 'Hot iron' }))
    expect(changed).toMatchObject({ name: 'Forge', description: 'Hot iron', open: true, avatarVersion: 2 })
    expect(expectOk(await owner.patch(at, { name: 'Forge' }))).toEqual(changed)

    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries.filter(({ action }) => action === 'channel.updated')).toMatchObject([
      {
        actor: { id: owner.id, name: owner.name },
        targetName: 'Forge',
        details: { name: { from: 'Ateliers', to: 'Forge' }, description: { from: null, to: 'Hot iron' } },
      },
    ])
  })
})
