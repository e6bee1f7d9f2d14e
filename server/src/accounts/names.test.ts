import type { AuditEntry } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { Person } from '../../test/person.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

const { server } = await portal()
const { kysely } = server.services.database
const password = 'correct horse battery'
const INVISIBLE = 'Ada\u200b Novak'

function signUp(name: string) {
  return new Person(server).post('/accounts', { name, password })
}

/** A name that no one else has, in letters without look-alikes. */
function unique(name: string): string {
  return `${name} ${crypto.randomUUID().slice(0, 8)}`
}

describe('a name', () => {
  test('must be readable in every operation that takes one', async () => {
    const { owner, people, at, bots, room } = await channelFixture({ people: 1, bots: 1 })
    const refused = [
      await signUp(INVISIBLE),
      await owner.patch('/account', { name: INVISIBLE }),
      await owner.post('/channels', { name: INVISIBLE }),
      await owner.patch(at, { name: INVISIBLE }),
      await owner.post(`${at}/rooms`, { name: INVISIBLE, type: 'text' }),
      await owner.patch(`${at}/rooms/${room.id}`, { name: INVISIBLE }),
      await owner.post(`${at}/categories`, { name: INVISIBLE }),
      await owner.post(`${at}/roles`, { name: INVISIBLE, rights: [] }),
      await owner.post('/applications', { name: INVISIBLE }),
      await owner.patch(`/applications/${bots[0].application.id}`, { name: INVISIBLE }),
    ]
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 400, body: { field: 'name', reason: 'name_characters' } })
    }
    const nickname = await people[0].put(`${at}/members/${people[0].id}/nickname`, { nickname: INVISIBLE })
    expect(nickname).toMatchObject({ status: 400, body: { field: 'nickname', reason: 'name_characters' } })
  })

  test('is stored composed, with single spaces', async () => {
    const name = unique('Zoë Novak')
    const spelled = `  ${name.normalize('NFD').replace(' ', ' \u00a0 ')} `
    expect(await signUp(spelled)).toMatchObject({ status: 201, body: { account: { name } } })
    expect(await signUp(name)).toMatchObject({ status: 422, body: { reason: 'name_taken' } })
    expect(await new Person(server).post('/sessions', { name: spelled, password })).toMatchObject({ status: 201 })
  })
})

describe('a nickname', () => {
  const disguise = (name: string) => name.replace('A', '\u0410')

  test('must not look like a name or nickname of another member, and may be one’s own name', async () => {
    const { at, owner, people, bots, newPerson } = await channelFixture({ people: 2, bots: 1 })
    const [ada, bo] = people
    const called = (nickname: string | null, who = bo) => who.put(`${at}/members/${who.id}/nickname`, { nickname })
    const alike = { status: 422, body: { reason: 'name_alike' } }
    const name = unique('Ada Novak')
    expectOk(await ada.patch('/account', { name }))
    expect(await called(name)).toMatchObject(alike)
    expect(await called(disguise(name))).toMatchObject(alike)
    expect(await called(bots[0].name)).toMatchObject(alike)
    expectOk(await called(name, ada))
    expectOk(await called(unique('Adele'), ada))
    // The account name behind a nickname is taken, too.
    expect(await called(disguise(name))).toMatchObject(alike)
    expectOk(await called('Aria', ada))
    expect(await called('Aria')).toMatchObject(alike)
    expect(await called(disguise('Aria'))).toMatchObject(alike)
    // Also if someone else gives the nickname.
    expect(await owner.put(`${at}/members/${bo.id}/nickname`, { nickname: 'ARIA' })).toMatchObject(alike)
    // Nobody here has the name of someone elsewhere.
    const stranger = await newPerson()
    expectOk(await called(stranger.name))
    // A new account name must not look like a nickname or a bot’s name in one’s channels either.
    expect(await bo.patch('/account', { name: 'Aria' })).toMatchObject(alike)
    expect(await bo.patch('/account', { name: bots[0].name })).toMatchObject(alike)
  })

  test('ends when someone joins whose name it looks like', async () => {
    const { at, owner, people, newPerson } = await channelFixture({ people: 1 })
    const [bo] = people
    const ada = await newPerson()
    const name = unique('Ada Novak')
    expectOk(await ada.patch('/account', { name }))
    expectOk(await bo.put(`${at}/members/${bo.id}/nickname`, { nickname: disguise(name) }))
    expectOk(await ada.post(`${at}/join`))
    expect(expectOk(await owner.get(`${at}/members/${bo.id}`))).toMatchObject({ channelNickname: null })
    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log?targetId=${bo.id}`))
    expect(entries[0]).toMatchObject({
      action: 'member.nickname_changed',
      details: { nickname: { from: disguise(name), to: null }, nameOfNewMember: true },
    })
    expect(await bo.put(`${at}/members/${bo.id}/nickname`, { nickname: name })).toMatchObject({ status: 422 })
  })
})

describe('the name of an application, which its bot gets', () => {
  test('must not look like a person’s, nor in a channel like a nickname or another bot’s', async () => {
    const { at, owner, people, bots, newBot } = await channelFixture({ people: 1, bots: 1 })
    const [ada] = people
    const name = unique('Adam Novak')
    await new Person(server, name).signUp()
    const [bot] = bots
    const renamed = (to: string) => owner.patch(`/applications/${bot.application.id}`, { name: to })
    for (const taken of [name, name.toUpperCase(), name.replace('a', '\u0430')]) {
      expect(await owner.post('/applications', { name: taken })).toMatchObject({ status: 422 })
      expect(await renamed(taken)).toMatchObject({ status: 422 })
    }
    expectOk(await ada.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Aria' }))
    const other = await newBot()
    for (const taken of ['\u0410ria', other.name]) {
      expect(await renamed(taken)).toMatchObject({ status: 422, body: { reason: 'name_alike' } })
    }
    // Elsewhere, bots may share a name.
    expectOk(await owner.post('/applications', { name: other.name }))
    expectOk(await renamed(`${bot.name} 2`))
  })
})

describe('a person’s name', () => {
  test.each([
    ['Cyrillic letters', (name: string) => name.replace('Adam', 'А\u0501\u0430m')],
    ['Greek letters', (name: string) => name.replace('Novak', 'Ν\u03bf\u03bdak')],
    ['Coptic letters', (name: string) => name.replace('Novak', 'Ⲛⲟvak')],
    ['small capitals', (name: string) => name.replace('Novak', 'Noᴠak')],
    ['Cherokee letters', (name: string) => name.replace('Adam', 'ᎪᏧam')],
    ['full-width letters', (name: string) => name.replace('Adam', 'Ａｄａｍ')],
    ['mathematical letters', (name: string) => name.replace('Adam', '𝐀𝐝𝐚𝐦')],
    ['two letters that look like one', (name: string) => name.replace('Adam', 'Adarn')],
    ['a capital I for an l', (name: string) => name.replace('Paul', 'PauI')],
  ])('must not look like another in %s', async (_, disguise) => {
    const name = unique('Adam Paul Novak')
    const person = await new Person(server, name).signUp()
    expect(await signUp(disguise(name))).toMatchObject({ status: 422, body: { reason: 'name_alike' } })
    const other = await new Person(server).signUp()
    const renamed = await other.patch('/account', { name: disguise(name) })
    expect(renamed).toMatchObject({ status: 422, body: { reason: 'name_alike' } })
    // Your own name may be changed to a look-alike of itself.
    expectOk(await person.patch('/account', { name: disguise(name) }))
  })

  test('may stay as it was before look-alikes were rejected', async () => {
    const name = unique('Adam Novak')
    await new Person(server, name).signUp()
    const twin = await new Person(server).signUp()
    const old = name.replace('a', '\u0430')
    await sql`UPDATE accounts SET name = ${old}, name_skeleton = NULL WHERE id = ${twin.id}::uuid`.execute(kysely)
    expectOk(await twin.post('/sessions', { name: old, password }))
    expectOk(await twin.patch('/account', { theme: 'dark' }))
    expect(await twin.patch('/account', { name: `${old}!` })).toMatchObject({ status: 200 })
  })
})
