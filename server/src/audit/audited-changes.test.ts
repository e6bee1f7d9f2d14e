import type { Application, AuditEntry, Category } from '@portico/contract'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { auditLog } from '../../test/audit-log.ts'
import { expectOk, channelFixture, portal } from '../../test/channel-fixture.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })

const actionsOf = (entries: readonly AuditEntry[]): string[] => entries.map(({ action }) => action).toReversed()

describe('the audit log of a channel', () => {
  test('records changes of categories, roles and installations, with who made them', async () => {
    const { owner, at, newBot, newRole } = await channelFixture()
    const before = await auditLog({ owner, at })
    expect(actionsOf(before)[0]).toBe('channel.created')

    const { id: categoryId } = expectOk(await owner.post<Category>(`${at}/categories`, { name: 'Work' }))
    expectOk(await owner.patch(`${at}/categories/${categoryId}`, { name: 'Play' }))
    expectOk(await owner.delete(`${at}/categories/${categoryId}`))
    const { id: roleId } = await newRole('Watch', [])
    const { id: otherId } = await newRole('Night watch', [])
    expectOk(await owner.patch(`${at}/roles/${roleId}`, { name: 'Day watch' }))
    expectOk(await owner.put(`${at}/roles/order`, { roleIds: [otherId, roleId] }))
    expectOk(await owner.delete(`${at}/roles/${roleId}`))
    const { application } = await newBot()
    expectOk(await owner.delete(`${at}/applications/${application.id}`))

    const entries = (await auditLog({ owner, at })).slice(0, -before.length)
    expect(actionsOf(entries)).toEqual([
      'category.created',
      'category.updated',
      'category.deleted',
      'role.created',
      'role.created',
      'role.updated',
      'roles.sorted',
      'role.deleted',
      'application.installed',
      'application.removed',
    ])
    for (const { actor } of entries) expect(actor).toMatchObject({ id: owner.id, name: owner.name })
  })
})

describe('the audit log of the portal', () => {
  test('records changes of applications, keys, webhooks and accounts, with who made them', async () => {
    const { administrator } = await portal()
    const { newPerson } = await channelFixture()
    const person = await newPerson()
    const { id } = expectOk(await person.post<Application>('/applications', { name: 'Clerk' }))
    const at = `/applications/${id}`
    expectOk(await person.put(`${at}/key`, { scopes: [] }))
    expectOk(await person.put(`${at}/key`, { scopes: ['events'] }))
    expectOk(await person.patch(at, { name: 'Chief clerk' }))
    const background = { r: 200, g: 0, b: 0 }
    const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background } })
      .png()
      .toBuffer()
    const type = { 'content-type': 'image/png' }
    expectOk(await person.request('PUT', `${at}/picture`, Uint8Array.from(picture), type))
    expectOk(await person.delete(`${at}/picture`))
    expectOk(await person.put(`${at}/webhook`, { url: 'https://127.0.0.1:1/one' }))
    expectOk(await person.put(`${at}/webhook`, { url: 'https://127.0.0.1:1/two' }))
    expectOk(await person.delete(`${at}/webhook`))
    expectOk(await administrator.put(`${at}/limits`, { requests: 100, writes: null }))
    expectOk(await person.delete(at, { name: 'Chief clerk' }))
    expectOk(await person.post('/account/deletion', { password: person.password }))

    const { entries: all } = expectOk(await administrator.get<{ entries: AuditEntry[] }>('/audit-log?limit=100'))
    const about = (target: string) => all.filter(({ targetId }) => targetId === target)
    const entries = about(id)
    expect(actionsOf(entries)).toEqual([
      'application.created',
      'key.issued',
      'key.reissued',
      'application.updated',
      'application.picture_set',
      'application.picture_removed',
      'webhook.created',
      'webhook.updated',
      'webhook.deleted',
      'application.limits_changed',
      'application.deleted',
    ])
    for (const { action, actor } of entries) {
      expect(actor?.id, action).toBe(action === 'application.limits_changed' ? administrator.id : person.id)
    }
    expect(actionsOf(about(person.id))).toEqual(['account.deleted'])
  })
})
