import { randomUUID } from 'node:crypto'
import { channelsSorted, LIMITS, type OwnChannel } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'

interface Page {
  readonly channels: OwnChannel[]
  readonly hasMore: boolean
}

async function namesOf(person: Person): Promise<string[]> {
  return expectOk(await person.get<Page>('/channels')).channels.map(({ name }) => name)
}

function sort(person: Person, ...channels: readonly { readonly id: string }[]) {
  return person.put('/account/channel-order', { channelIds: channels.map(({ id }) => id) })
}

/** Two people who are in the same three open channels, none of which is theirs. */
async function threeChannels() {
  const fixture = await channelFixture()
  const { owner, newPerson } = fixture
  const create = async (name: string): Promise<OwnChannel> =>
    expectOk(await owner.post<OwnChannel>('/channels', { name, open: true }))
  const channels = [await create('Almanac'), await create('Baker Street'), await create('Caravan')] as const
  const [ada, bob] = [await newPerson(), await newPerson()]
  for (const person of [ada, bob]) for (const { id } of channels) expectOk(await person.post(`/channels/${id}/join`))
  return { ...fixture, create, channels, ada, bob }
}

describe('sortChannels', () => {
  test('keeps the order of a member, for that member only', async () => {
    const { server, channels, ada, bob, owner, channel } = await threeChannels()
    const [almanac, baker, caravan] = channels
    const [otherTab, stranger] = [await OpenPortal.of(server, ada), await OpenPortal.of(server, bob)]
    expect((await sort(ada, caravan, almanac, baker)).status).toBe(204)

    const event = await otherTab.next(channelsSorted)
    expect(event).toMatchObject({ channelId: null, data: { channelIds: [caravan.id, almanac.id, baker.id] } })
    expect(await namesOf(ada)).toEqual(['Caravan', 'Almanac', 'Baker Street'])
    const { channels: opened, place } = expectOk(
      await ada.get<{ channels: Page; place: { channelId: string } }>('/room-page'),
    )
    expect(opened.channels.map(({ name }) => name)).toEqual(['Caravan', 'Almanac', 'Baker Street'])
    expect(place.channelId).toBe(caravan.id)

    expect(await namesOf(bob)).toEqual(['Almanac', 'Baker Street', 'Caravan'])
    expect(await namesOf(owner)).toEqual([channel.name, 'Almanac', 'Baker Street', 'Caravan'])
    expect(stranger.kinds).not.toContain(channelsSorted.event)
    const { channels: exported } = expectOk(await ada.get<{ channels: object[] }>('/account/data'))
    expect(exported).toMatchObject([{ position: 2 }, { position: 3 }, { position: 1 }])
  })

  test('puts what is not listed last, in the order of joining', async () => {
    const { create, channels, ada } = await threeChannels()
    const [almanac, baker, caravan] = channels
    expectOk(await sort(ada, caravan, baker, almanac))
    const { id } = await create('Dunes')
    expectOk(await ada.post(`/channels/${id}/join`))
    expect(await namesOf(ada)).toEqual(['Caravan', 'Baker Street', 'Almanac', 'Dunes'])
    expectOk(await sort(ada, { id }))
    expect(await namesOf(ada)).toEqual(['Dunes', 'Almanac', 'Baker Street', 'Caravan'])
    expectOk(await sort(ada))
    expect(await namesOf(ada)).toEqual(['Almanac', 'Baker Street', 'Caravan', 'Dunes'])
  })

  test('pages in that order', async () => {
    const { channels, ada } = await threeChannels()
    const [almanac, baker, caravan] = channels
    expectOk(await sort(ada, caravan, baker))
    const seen: string[] = []
    let after = ''
    for (let more = true; more;) {
      const page = expectOk(await ada.get<Page>(`/channels?limit=1${after}`))
      seen.push(...page.channels.map(({ id }) => id))
      after = `&afterId=${page.channels.at(-1)?.id}`
      more = page.hasMore
    }
    expect(seen).toEqual([caravan.id, baker.id, almanac.id])
  })

  test('ignores channels that the person is not in, and refuses duplicates and too many', async () => {
    const { server, create, channels, ada } = await threeChannels()
    const [almanac, baker, caravan] = channels
    const foreign = await create('Elsewhere')
    const otherTab = await OpenPortal.of(server, ada)
    expectOk(await sort(ada, foreign, caravan, { id: randomUUID() }, { id: almanac.id.toUpperCase() }, baker))
    expect((await otherTab.next(channelsSorted)).data.channelIds).toEqual([caravan.id, almanac.id, baker.id])
    expect(await namesOf(ada)).toEqual(['Caravan', 'Almanac', 'Baker Street'])
    // Joined later, it isn't where that request wanted it.
    expectOk(await ada.post(`/channels/${foreign.id}/join`))
    expect(await namesOf(ada)).toEqual(['Caravan', 'Almanac', 'Baker Street', 'Elsewhere'])

    const field = { field: 'channelIds' }
    expectRefusal(await sort(ada, baker, { id: baker.id.toUpperCase() }), 'badRequest', field)
    const many = Array.from({ length: LIMITS.channelsSorted + 1 }, () => ({ id: randomUUID() }))
    expectRefusal(await sort(ada, ...many), 'badRequest', field)
    expectOk(await sort(ada, ...many.slice(2), almanac))
    expect((await namesOf(ada))[0]).toBe('Almanac')
  })

  test('forgets the place of a channel that was left', async () => {
    const { channels, ada } = await threeChannels()
    const [almanac, baker, caravan] = channels
    expectOk(await sort(ada, caravan, almanac, baker))
    expectOk(await ada.delete(`/channels/${caravan.id}/membership`))
    expect(await namesOf(ada)).toEqual(['Almanac', 'Baker Street'])
    expectOk(await ada.post(`/channels/${caravan.id}/join`))
    expect(await namesOf(ada)).toEqual(['Almanac', 'Baker Street', 'Caravan'])
  })

  test('keeps one of the orders that several devices choose at once', async () => {
    const { channels, ada } = await threeChannels()
    const [almanac, baker, caravan] = channels
    const orders = [
      [caravan, almanac, baker],
      [baker, caravan, almanac],
      [almanac, caravan, baker],
    ]
    const answers = await Promise.all([...orders, ...orders].map((order) => sort(ada, ...order)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204))
    expect(orders.map((order) => order.map(({ name }) => name))).toContainEqual(await namesOf(ada))
  })
})
