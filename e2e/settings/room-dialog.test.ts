import type { Room } from '@portico/contract'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, furnish, PHONE } from '../portal-visit.ts'

describeInBrowser('rooms in the sidebar', ({ open }) => {
  test('are added with the “+” of their category and open at once', async () => {
    const { server, owner, at, channel, room } = await channelFixture()
    await furnish({ owner, at })
    const visit = { ...signedIn(server.url, owner), viewport: DESKTOP }
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, visit)
    await page.getByRole('button', { name: 'Add a room to Work', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'New room' })
    await dialog.waitFor()
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByLabel('Room name', { exact: true }).fill('lounge')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'lounge' }).waitFor()
    await dialog.waitFor({ state: 'detached' })
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
    const made = rooms.find(({ name }) => name === 'lounge')
    expect(made?.categoryId).toBe(rooms.find(({ name }) => name === 'plans')?.categoryId)
  })

  test('are edited from their menu, and a new private one asks whom it admits', async () => {
    const { server, owner, at, channel, room } = await channelFixture()
    await furnish({ owner, at })
    const visit = { ...signedIn(server.url, owner), viewport: PHONE, hasTouch: true }
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, visit)
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('button', { name: 'More options for plans', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Edit room' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit plans' })
    await dialog.getByLabel('Room name', { exact: true }).fill('roadmap')
    const textStart = (element: Element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return range.getBoundingClientRect().left
    }
    const deletion = await dialog.getByRole('button', { name: 'Delete room' }).evaluate(textStart)
    expect(deletion).toBeCloseTo(await dialog.getByRole('heading', { name: 'Edit plans' }).evaluate(textStart), 0)
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /^roadmap/ }).waitFor()

    await page.getByRole('button', { name: 'Add a room to Work', exact: true }).click()
    const making = page.getByRole('dialog', { name: 'New room' })
    await making.getByLabel('Room name', { exact: true }).fill('hidden')
    await making.getByRole('switch', { name: 'Private' }).click()
    await making.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('dialog', { name: 'Edit hidden' }).waitFor()
  })

  test('are edited in whichever order the roles and the admissions arrive', async () => {
    const { server, owner, at, channel, room } = await channelFixture()
    await furnish({ owner, at })
    for (const [early, late] of [
      ['roles', 'room-access'],
      ['room-access', 'roles'],
    ] as const) {
      const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
      const arrived = page.waitForResponse((response) => response.url().endsWith(`/${early}`))
      await page.route(`**/${late}`, async (route) => {
        await (await arrived).finished()
        await route.continue()
      })
      await page.getByRole('link', { name: /^plans/ }).click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Edit room' }).click()
      await page.getByRole('dialog', { name: 'Edit plans' }).waitFor()
    }
  })

  test('can’t be added or edited by ordinary members', async () => {
    const { server, people, owner, at, channel, room } = await channelFixture({ people: 1 })
    await furnish({ owner, at })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, people[0]))
    await page.getByRole('link', { name: /^plans/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Copy link' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Edit room' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Add a room/ }).count()).toBe(0)
  })

  test('are created from the empty state of a channel without rooms', async () => {
    const { server, owner, at, channel } = await channelFixture()
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
    for (const { id } of rooms) expectOk(await owner.delete(`${at}/rooms/${id}`))
    const page = await open(`${server.url}/c/${channel.id}`, signedIn(server.url, owner))
    await page.getByRole('button', { name: 'Create a room' }).click()
    await page.getByRole('dialog', { name: 'New room' }).getByLabel('Room name', { exact: true }).fill('fresh')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'fresh' }).waitFor()
  })
})
