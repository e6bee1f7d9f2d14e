import type { Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Person } from '../../server/test/person.ts'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser, type Visitor } from '../browser.ts'
import { axeViolations } from '../axe-violations.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, newMessage, PHONE } from '../portal-visit.ts'

/** A channel with a voice room and a stream room, and two people who have one of them open. */
async function twoIn(open: Visitor['open'], type: 'voice' | 'stream') {
  const { server, owner, people, at, channel, room } = await channelFixture({ people: 1 })
  const { id } = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'stand-up', type }))
  const url = `${server.url}/c/${channel.id}/${id}`
  const enter = async (person: Person, more: object = {}): Promise<Page> => {
    const page = await open(url, { ...signedIn(url, person), viewport: DESKTOP, ...more })
    await page.getByRole('heading', { level: 1, name: 'stand-up' }).waitFor()
    return page
  }
  return { at, channel, owner, ada: people[0], textRoom: room, enter, roomId: id }
}

const inside = (page: Page) =>
  page.getByRole('main').getByRole('list', { name: 'Currently in stand-up' }).getByRole('listitem')

describeInBrowser('a voice room', ({ open }) => {
  test('shows who is inside, and stays connected in other rooms', async () => {
    const { owner, ada, enter, textRoom } = await twoIn(open, 'voice')
    const hers = await enter(ada)
    const his = await enter(owner)
    await hers.getByRole('button', { name: 'Join', exact: true }).click()
    await inside(his).filter({ hasText: ada.name }).waitFor()
    await his.getByRole('button', { name: 'Join', exact: true }).click()
    await inside(hers).nth(1).waitFor()

    await hers.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: textRoom.name }).click()
    await newMessage(hers).waitFor()
    const bar = hers.getByRole('region', { name: 'Voice' })
    await bar.getByText('No media server').waitFor()
    expect(await axeViolations(hers)).toEqual([])

    await bar.getByRole('link').click()
    await inside(hers).first().waitFor()
    expect(await axeViolations(hers)).toEqual([])

    await his.getByRole('main').getByRole('button', { name: 'Leave room' }).click()
    await inside(hers).nth(1).waitFor({ state: 'detached' })
    await hers.close()
    await his.getByText('Nobody is in stand-up yet').waitFor()
    await expect.poll(() => his.getByRole('region', { name: 'Voice' }).count()).toBe(0)
  })

  test('has a chat next to the tiles, for people who haven’t joined too', async () => {
    const { owner, ada, enter, textRoom } = await twoIn(open, 'voice')
    const his = await enter(owner)
    const hers = await enter(ada, { viewport: PHONE, colorScheme: 'dark' })
    await his.getByText('This is the beginning of stand-up', { exact: true }).waitFor()
    await newMessage(his).fill('Back in five minutes')
    await newMessage(his).press('Enter')
    const chat = hers.getByRole('main').getByRole('button', { name: 'Chat, unread messages' })
    await chat.waitFor()
    expect(await axeViolations(hers)).toEqual([])
    await chat.click()
    await hers.getByRole('region', { name: 'Chat' }).getByText('Back in five minutes', { exact: true }).waitFor()
    await newMessage(hers).fill('Take your time')
    await hers.getByRole('button', { name: 'Send' }).click()
    await his.getByRole('region', { name: 'Chat' }).getByText('Take your time', { exact: true }).waitFor()
    for (const page of [his, hers]) expect(await axeViolations(page)).toEqual([])

    // Elsewhere the room shows that there is something to read.
    await his.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: textRoom.name }).click()
    await his.getByRole('heading', { level: 1, name: textRoom.name }).waitFor()
    await newMessage(hers).fill('Are you back?')
    await hers.getByRole('button', { name: 'Send' }).click()
    const link = his.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: /^stand-up/ })
    await link.getByText('unread').waitFor({ state: 'attached' })
    await link.click()
    await his.getByRole('region', { name: 'Chat' }).getByText('Are you back?', { exact: true }).waitFor()
    const toggle = his.getByRole('main').getByRole('button', { name: 'Chat', exact: true })
    await toggle.click()
    await his.getByRole('region', { name: 'Chat' }).waitFor({ state: 'detached' })
    await his.reload()
    await inside(his).or(his.getByText('Nobody is in stand-up yet')).first().waitFor()
    await expect.poll(() => his.getByRole('region', { name: 'Chat' }).count()).toBe(0)
  })

  test('follows a member who is moved, and tells who is disconnected, also by becoming private', async () => {
    const { owner, ada, enter, at, channel, roomId } = await twoIn(open, 'voice')
    const lounge = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'lounge', type: 'voice' }))
    const hers = await enter(ada)
    await hers.getByRole('button', { name: 'Join', exact: true }).click()
    const bar = hers.getByRole('region', { name: 'Voice' })
    await bar.getByText('stand-up').waitFor()
    expectOk(await owner.put(`${at}/members/${ada.id}/room`, { channelId: channel.id, roomId: lounge.id }))
    await bar.getByText('lounge').waitFor()
    expectOk(await owner.delete(`${at}/members/${ada.id}/voice`))
    await hers.getByText('You’re no longer in lounge.').waitFor()
    await bar.waitFor({ state: 'detached' })

    await hers.getByRole('button', { name: 'Join', exact: true }).click()
    await bar.waitFor()
    expectOk(await owner.patch(`${at}/rooms/${roomId}`, { private: true }))
    await hers.getByText('You’re no longer in stand-up.').waitFor()
    await bar.waitFor({ state: 'detached' })
  })
})

describeInBrowser('a voice room with a user limit of one', ({ open }) => {
  test('is full until someone leaves, and shows its bar above other rooms on a phone', async () => {
    const { at, owner, ada, enter, roomId, textRoom } = await twoIn(open, 'voice')
    expectOk(await owner.patch(`${at}/rooms/${roomId}`, { userLimit: 1 }))
    const his = await enter(owner, { viewport: PHONE })
    await his.getByRole('button', { name: 'Join', exact: true }).click()
    await inside(his).waitFor()
    const hers = await enter(ada)
    await hers.getByText('The room is full.').waitFor()
    await hers.getByRole('button', { name: 'Join', exact: true, disabled: true }).waitFor()

    const bar = his.getByRole('region', { name: 'Voice' })
    await expect.poll(() => bar.count()).toBe(0)
    await his.getByRole('button', { name: 'Open menu' }).click()
    await his.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: textRoom.name }).click()
    await bar.getByText('No media server').waitFor()
    expect(await axeViolations(his)).toEqual([])
    await bar.getByRole('button', { name: 'Leave room' }).click()
    await hers.getByRole('button', { name: 'Join', exact: true, disabled: false }).waitFor()
    await hers.getByText('The room is full.').waitFor({ state: 'detached' })
  })
})

describeInBrowser('a portal without a media server', ({ open }) => {
  test('says in a voice room that voice is off, and hides audio controls', async () => {
    const { owner, enter } = await twoIn(open, 'voice')
    const page = await enter(owner)
    const main = page.getByRole('main')
    await main.getByText('Voice is turned off on this portal.').waitFor()
    await main.getByText('Join to show others that you’re here.').waitFor()
    await expect.poll(() => main.getByText('LIVEKIT_URL').count()).toBe(0)
    await main.getByRole('button', { name: 'Join', exact: true }).click()
    const controls = main.getByRole('group', { name: 'Microphone and sound' })
    await controls.getByRole('button', { name: 'Leave room' }).waitFor()
    await expect.poll(() => controls.getByRole('button').count()).toBe(1)
    await expect.poll(() => page.getByRole('region', { name: 'Voice' }).getByRole('button').count()).toBe(1)
    expect(await axeViolations(page)).toEqual([])
  })

  test('says in a stream room that broadcasting is off, and keeps its chat', async () => {
    const { owner, ada, enter } = await twoIn(open, 'stream')
    const his = await enter(owner)
    const hers = await enter(ada, { viewport: PHONE, colorScheme: 'dark' })
    for (const page of [his, hers]) {
      const stage = page.getByRole('region', { name: 'Stage' })
      await stage.getByText('Broadcasting is turned off on this portal').waitFor()
      await expect.poll(() => stage.getByRole('button').count()).toBe(0)
      await expect.poll(() => stage.getByText('LIVEKIT_URL').count()).toBe(0)
    }
    await newMessage(his).fill('We are live')
    await newMessage(his).press('Enter')
    await hers.getByText('We are live', { exact: true }).waitFor()
    expect(await axeViolations(his)).toEqual([])
    expect(await axeViolations(hers)).toEqual([])
  })

  test.each(['voice', 'stream'] as const)('tells administrators in a %s room what to do', async (type) => {
    const { at, enter } = await twoIn(open, type)
    const { administrator } = await portal()
    expectOk(await administrator.post(`${at}/join`))
    const page = await enter(administrator)
    await page.getByRole('main').getByText('start the portal without MEDIA=off').waitFor()
  })
})
