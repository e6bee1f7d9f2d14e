import type { Message } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser, type Visitor } from '../browser.ts'
import { act, openRoom, row, signedIn } from './chat-visit.ts'
import { DESKTOP, MEMBERSHIP_ENDED, newMessage, PHONE } from '../portal-visit.ts'

/** A room that a member reads, and that its owner can hide from them. */
async function readByMember(open: Visitor['open']) {
  const { server, owner, people, at, room } = await channelFixture({ people: 1 })
  const { channelId } = room
  const excuses = [MEMBERSHIP_ENDED]
  const page = await openRoom(open, { url: server.url, room }, people[0], { viewport: DESKTOP, excuses })
  const write = async (text: string): Promise<Message> =>
    expectOk(await owner.post<Message>(`/rooms/${room.id}/messages`, { channelId, text }))
  const hide = async (isHidden: boolean): Promise<unknown> =>
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: isHidden }))
  return { owner, page, room, write, hide }
}

describeInBrowser('a private room', ({ open }) => {
  test('lists only those who can see it, with the role or admission that lets them', async () => {
    const { server, owner, people, at, channel, room, newRoom, newRole, give } = await channelFixture({ people: 3 })
    const [ada, boris, chen] = people
    const staff = await newRole('Staff', [])
    await give(ada, 'CHANNEL_MEMBER', staff)
    const { id } = await newRoom('text', { private: true })
    const admit = async (...memberIds: string[]) =>
      expectOk(await owner.put(`${at}/rooms/${id}/admissions`, { roleIds: [staff.id], memberIds }))
    await admit(boris.id)

    const page = await open(`${server.url}/c/${channel.id}/${id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
    })
    const column = page.getByRole('complementary', { name: 'Members' })
    await column.getByText('Only these members can see it.').waitFor()
    await column.getByRole('button', { name: `${owner.name} Owner online` }).waitFor()
    await column.getByRole('button', { name: `${ada.name} Staff offline` }).waitFor()
    await column.getByRole('button', { name: `${boris.name} Added by name offline` }).waitFor()
    await column.getByRole('heading', { name: 'Offline — 2' }).waitFor()
    expect(await column.getByRole('button', { name: chen.name }).count()).toBe(0)
    await page.getByRole('main').getByRole('img', { name: 'Private room' }).waitFor()
    expect(await axeViolations(page)).toEqual([])

    // Live: someone is admitted, and comes online.
    await admit(boris.id, chen.id)
    await column.getByRole('button', { name: `${chen.name} Added by name offline` }).waitFor()
    const chens = await open(`${server.url}/c/${channel.id}/${id}`, signedIn(server.url, chen))
    await column.getByRole('button', { name: `${chen.name} Added by name online` }).waitFor()
    await chens.context().close()
    await column.getByRole('button', { name: `${chen.name} Added by name offline` }).waitFor()

    await page.goto(`${server.url}/c/${channel.id}/${room.id}`)
    await column.getByRole('heading', { name: 'Offline — 3' }).waitFor()
    await expect.poll(() => column.getByText('Only these members can see it.').count()).toBe(0)
    await expect.poll(() => page.getByRole('main').getByRole('img', { name: 'Private room' }).count()).toBe(0)
  })

  test('shows what happened while it was hidden from its reader, once they can see it again', async () => {
    const { owner, page, room, write, hide } = await readByMember(open)
    const { id } = await write('soon deleted')
    await row(page, 'soon deleted').waitFor()
    await hide(true)
    await page.getByRole('heading', { level: 2, name: 'Room not found' }).waitFor()
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId }))
    await write('written meanwhile')
    await hide(false)
    await row(page, 'written meanwhile').waitFor()
    expect(await row(page, 'soon deleted').count()).toBe(0)
  })

  test('leaves nothing that it contained in the drafts of those who can’t see it anymore', async () => {
    const { page, write, hide } = await readByMember(open)
    await write('for members only')
    await act(page, 'for members only', 'Reply')
    const drafts = (): Promise<string> => page.evaluate(() => localStorage.getItem('portico.drafts') ?? '')
    await expect.poll(drafts).toContain('for members only')
    await hide(true)
    await page.getByRole('heading', { level: 2, name: 'Room not found' }).waitFor()
    await expect.poll(drafts).not.toContain('for members only')
  })

  test('says so on a phone, and of members who can’t see it while they are mentioned', async () => {
    const { server, owner, people, at, channel, newRoom } = await channelFixture({ people: 2 })
    const [ada, boris] = people
    for (const [person, nickname] of [
      [ada, 'Novak Senior'],
      [boris, 'Novak Junior'],
    ] as const)
      expectOk(await owner.put(`${at}/members/${person.id}/nickname`, { nickname }))
    const { id } = await newRoom('text', { private: true })
    expectOk(await owner.put(`${at}/rooms/${id}/admissions`, { roleIds: [], memberIds: [ada.id] }))
    const page = await openRoom(open, { url: server.url, room: { id, channelId: channel.id } }, owner, {
      viewport: PHONE,
    })
    await page.getByRole('main').getByRole('img', { name: 'Private room' }).waitFor()
    await newMessage(page).click()
    await page.keyboard.type('@novak')
    const options = page.getByRole('listbox', { name: 'Members' }).getByRole('option')
    await options.nth(1).waitFor()
    // By name, Junior would come first.
    expect(await options.nth(0).innerText()).toContain('Novak Senior')
    expect(await options.nth(0).innerText()).not.toContain('can’t see this room')
    expect(await options.nth(1).innerText()).toMatch(/Novak Junior\s+can’t see this room/)
    expect(await axeViolations(page)).toEqual([])
  })
})
