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
