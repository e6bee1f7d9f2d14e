import type { Category, Room } from '@portico/contract'
import { expect, test } from 'vitest'
import type { Person } from '../../server/test/person.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { openSettings } from './channel-settings-visit.ts'
import { dragTo, focused, furnish } from '../portal-visit.ts'

interface Order {
  readonly rooms: readonly Room[]
  readonly categories: readonly Category[]
}

/** Categories with their rooms, as other members see them. */
async function orderOf(person: Person, at: string): Promise<Record<string, string[]>> {
  const { rooms, categories } = expectOk(await person.get<Order>(`${at}/rooms`))
  const bySort = (one: { sort: number }, other: { sort: number }): number => one.sort - other.sort
  const inside = (id: string | null): string[] =>
    rooms
      .filter(({ categoryId }) => categoryId === id)
      .toSorted(bySort)
      .map(({ name }) => name)
  return Object.fromEntries([
    ['', inside(null)],
    ...categories.toSorted(bySort).map(({ id, name }) => [name, inside(id)] as const),
  ])
}

describeInBrowser('rooms in channel settings', ({ open }) => {
  test('can be created, edited, reordered with the keyboard and deleted', async () => {
    const { server, owner, channel, at } = await channelFixture()
    await furnish({ owner, at })
    const page = await openSettings(open, { server, channel }, owner, 'rooms')
    const work = page.getByRole('region', { name: 'Work' })
    const order = async () => (await orderOf(owner, at))['Work']

    const down = page.getByRole('button', { name: 'Move plans down' })
    await down.focus()
    await page.keyboard.press('Enter')
    await page.getByText('plans is now 2 of 4 in Work').waitFor({ state: 'attached' })
    await focused(page, down)
    await expect.poll(order).toEqual(['stand-up', 'plans', 'demo', 'leads'])
    const up = page.getByRole('button', { name: 'Move stand-up up' })
    await up.focus()
    await page.keyboard.press('Enter')
    await page.getByText(/^stand-up is now \d of \d, without a category$/).waitFor({ state: 'attached' })
    await focused(page, up)

    await page.getByRole('button', { name: 'New room' }).click()
    const making = page.getByRole('dialog', { name: 'New room' })
    await focused(page, making.getByRole('textbox', { name: 'Room name' }))
    await making.getByRole('button', { name: 'Create' }).click()
    await making.getByText('Enter a room name.').waitFor()
    await making.getByText('Voice', { exact: true }).click()
    await making.getByRole('textbox', { name: 'Room name' }).fill('lounge')
    await making.getByRole('textbox', { name: 'User limit' }).fill('12')
    await making.getByRole('combobox', { name: 'Category' }).selectOption('Work')
    await making.getByRole('button', { name: 'Create' }).click()
    await work.getByText('lounge').waitFor()

    await page.getByRole('button', { name: 'Edit leads' }).click()
    const editing = page.getByRole('dialog', { name: 'Edit leads' })
    await editing.getByRole('checkbox', { name: 'Moderator' }).check()
    await editing.getByRole('textbox', { name: 'Topic' }).fill('For those who lead')
    await editing.getByRole('button', { name: 'Save' }).click()
    await work.getByText('For those who lead').waitFor()

    await page.getByRole('button', { name: 'Edit demo' }).click()
    await page.getByRole('button', { name: 'Delete room' }).click()
    await page.getByRole('dialog', { name: 'Delete the room “demo”?' }).getByRole('button', { name: 'Delete' }).click()
    await work.getByText('demo').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Delete Work' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('region', { name: 'No category' }).getByText('leads').waitFor()
  })

  test('ask who can see a private room after creating it', async () => {
    const { server, owner, channel } = await channelFixture()
    const page = await openSettings(open, { server, channel }, owner, 'rooms')
    await page.getByRole('button', { name: 'New room' }).click()
    const making = page.getByRole('dialog', { name: 'New room' })
    await making.getByRole('textbox', { name: 'Room name' }).fill('council')
    await making.getByText('Private', { exact: true }).click()
    await making.getByRole('button', { name: 'Create' }).click()

    const edit = page.getByRole('dialog', { name: 'Edit council' })
    await edit.getByRole('checkbox', { name: 'Moderator' }).check()
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Edit council' }).click()
    await expect.poll(() => edit.getByRole('checkbox', { name: 'Moderator' }).isChecked()).toBe(true)
  })

  test('can be dragged within, into and out of a category', async () => {
    const { server, owner, channel, at } = await channelFixture()
    await furnish({ owner, at })
    expectOk(await owner.post(`${at}/categories`, { name: 'Fun' }))
    const page = await openSettings(open, { server, channel }, owner, 'rooms')
    const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) })
    const savedOrder = () => orderOf(owner, at)

    await dragTo(page, row('leads'), row('stand-up'))
    await page.getByText('leads is now 2 of 4 in Work').waitFor({ state: 'attached' })
    await expect.poll(savedOrder).toMatchObject({ Work: ['plans', 'leads', 'stand-up', 'demo'], Fun: [] })
    await dragTo(page, row('plans'), row('demo'), 'lower')
    await page.getByText('plans is now 4 of 4 in Work').waitFor({ state: 'attached' })
    await expect.poll(savedOrder).toMatchObject({ Work: ['leads', 'stand-up', 'demo', 'plans'], Fun: [] })

    await dragTo(page, row('demo'), page.getByRole('region', { name: 'Fun' }), 'lower')
    await page.getByText('demo is now 1 of 1 in Fun').waitFor({ state: 'attached' })
    await expect.poll(savedOrder).toMatchObject({ Work: ['leads', 'stand-up', 'plans'], Fun: ['demo'] })
    await dragTo(page, row('plans'), row('workshop'))
    await page.getByText(/^plans is now \d of \d, without a category$/).waitFor({ state: 'attached' })
    await expect.poll(savedOrder).toMatchObject({ Work: ['leads', 'stand-up'], Fun: ['demo'] })
    expect((await savedOrder())['']).toContain('plans')
  })

  test('move with their category, with the mouse and the keyboard', async () => {
    const { server, owner, channel, at } = await channelFixture()
    await furnish({ owner, at })
    for (const name of ['Fun', 'Archive']) expectOk(await owner.post(`${at}/categories`, { name }))
    const page = await openSettings(open, { server, channel }, owner, 'rooms')
    const head = (name: string) => page.getByRole('heading', { level: 2, name })
    const savedOrder = async () => Object.keys(await orderOf(owner, at)).slice(1)

    await dragTo(page, head('Archive'), page.getByRole('region', { name: 'Work' }))
    await page.getByText('Archive is now category 1 of 3').waitFor({ state: 'attached' })
    await expect.poll(savedOrder).toEqual(['Archive', 'Work', 'Fun'])
    await dragTo(page, head('Archive'), page.getByRole('region', { name: 'Fun' }), 'lower')
    await page.getByText('Archive is now category 3 of 3').waitFor({ state: 'attached' })
    await expect.poll(savedOrder).toEqual(['Work', 'Fun', 'Archive'])

    const up = page.getByRole('button', { name: 'Move Fun up' })
    await up.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Fun is now category 1 of 3').waitFor({ state: 'attached' })
    // It can’t move further, so the focus goes to the opposite arrow.
    await focused(page, page.getByRole('button', { name: 'Move Fun down' }))
    await expect.poll(savedOrder).toEqual(['Fun', 'Work', 'Archive'])
    expect((await orderOf(owner, at))['Work']).toEqual(['plans', 'stand-up', 'demo', 'leads'])
  })

  test('keep the focus when an outdated answer arrives and when someone else reorders them', async () => {
    const { server, owner, channel, at } = await channelFixture()
    await furnish({ owner, at })
    for (const name of ['Fun', 'Archive']) expectOk(await owner.post(`${at}/categories`, { name }))
    const { rooms, categories } = expectOk(await owner.get<Order>(`${at}/rooms`))
    const page = await openSettings(open, { server, channel }, owner, 'rooms')
    const order = () => page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()
    const up = page.getByRole('button', { name: 'Move Fun up' })
    const down = page.getByRole('button', { name: 'Move Fun down' })
    await up.waitFor()

    // A change elsewhere makes the page ask for the rooms; the answer is held back until the category has moved.
    const requested = Promise.withResolvers<void>()
    const moved = Promise.withResolvers<void>()
    await page.route(
      `**${at}/rooms`,
      async (route) => {
        const outdated = await route.fetch()
        requested.resolve()
        await moved.promise
        await route.fulfill({ response: outdated }).catch(() => undefined)
      },
      { times: 1 },
    )
    const plans = rooms.find(({ name }) => name === 'plans')
    expectOk(await owner.patch(`${at}/rooms/${plans?.id}`, { topic: 'Decided on Friday' }))
    await requested.promise
    await up.focus()
    await page.keyboard.press('Enter')
    await focused(page, down)
    moved.resolve()
    await page.getByText('Decided on Friday').waitFor()
    await focused(page, down)
    expect(await order()).toEqual(['No category', 'Fun', 'Work', 'Archive'])

    expectOk(
      await owner.put(`${at}/order`, {
        rooms: rooms.toSorted((one, other) => one.sort - other.sort).map(({ id, categoryId }) => ({ id, categoryId })),
        categories: categories.map(({ id }) => id).toReversed(),
      }),
    )
    await expect.poll(order).toEqual(['No category', 'Archive', 'Fun', 'Work'])
    await focused(page, down)
  })
})
