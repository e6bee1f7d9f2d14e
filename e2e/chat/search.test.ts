import type { Room } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from './chat-visit.ts'
import { DESKTOP, PHONE } from '../portal-visit.ts'

describeInBrowser('search in a channel', ({ open }) => {
  test('finds all forms of a word, highlights them and opens the message', async () => {
    const { server, owner, people, channel, room, at } = await channelFixture({ people: 1 })
    const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const say = async (person: typeof owner, where: Room, text: string) =>
      expectOk(await person.post(`/rooms/${where.id}/messages`, { channelId: channel.id, text }))
    await say(owner, room, 'The build is green')
    await say(people[0], plans, `We were building all night, <@${owner.id}>`)
    await say(people[0], plans, 'Собираем новые сборки')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
    })

    await page.getByRole('button', { name: 'Search' }).click()
    const panel = page.getByRole('complementary', { name: 'Search' })
    const field = panel.getByRole('searchbox', { name: 'Search messages' })
    await field.fill('build')
    const results = panel.getByRole('listitem')
    await results.nth(1).waitFor()
    await expect.poll(() => results.locator('mark').allInnerTexts()).toEqual(['building', 'build'])
    await expect.poll(() => results.first().innerText()).toContain(`all night, @${owner.name}`)

    await panel.getByRole('combobox', { name: 'Room' }).selectOption('workshop')
    await results.nth(1).waitFor({ state: 'detached' })
    await results.filter({ hasText: 'The build is green' }).waitFor()
    await panel.getByRole('combobox', { name: 'Room' }).selectOption('Any room')
    const rooms = panel.getByRole('combobox', { name: 'Room' })
    const before = await rooms.boundingBox()
    await panel.getByRole('combobox', { name: 'From' }).fill(people[0].name)
    await panel.getByRole('option', { name: people[0].name }).waitFor()
    // The list of names overlays the results and moves nothing.
    expect(await rooms.boundingBox()).toEqual(before)
    await panel.getByRole('option', { name: people[0].name }).click()
    await results.filter({ hasText: 'building' }).waitFor()
    await results.nth(1).waitFor({ state: 'detached' })

    await field.fill('сборка')
    await results.filter({ hasText: 'сборки' }).click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    await page.getByRole('article').getByText('Собираем новые сборки').waitFor()
    await page.waitForURL(/\/c\/[^/]+\/[^/]+\/[^/]+$/)

    await field.fill('nonsense')
    await panel.getByText('No results').waitFor()
    await field.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('complementary', { name: 'Members' }).waitFor()
  })

  test('is a drawer on a phone that closes when a result is opened', async () => {
    const { server, owner, channel, room } = await channelFixture()
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'The needle' }))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      viewport: PHONE,
      isMobile: true,
    })
    await page.getByRole('button', { name: 'Search' }).click()
    const drawer = page.getByRole('dialog', { name: 'Search' })
    await drawer.getByRole('searchbox').fill('needle')
    await drawer.getByRole('listitem').first().click()
    await drawer.waitFor({ state: 'detached' })
    await page.getByRole('article').getByText('The needle').waitFor()
  })
})
