import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { openRoom, row } from './chat-visit.ts'
import { newMessage } from '../portal-visit.ts'

describeInBrowser('a mention of everyone', ({ open }) => {
  test('is offered and colored for people with the permission, and plain text of others', async () => {
    const { server, owner, people, newRole, give, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const staff = await newRole('Evening shift', [])
    await give(ada, 'CHANNEL_MEMBER', staff)
    const theirs = await openRoom(open, { url: server.url, room }, owner)
    const hers = await openRoom(open, { url: server.url, room }, ada)

    await newMessage(theirs).click()
    await theirs.keyboard.type('@every')
    await theirs.getByRole('option', { name: '@everyone', selected: true }).waitFor()
    expect(await axeViolations(theirs)).toEqual([])
    await theirs.keyboard.press('Enter')
    await theirs.keyboard.type('and @evening')
    await theirs.getByRole('option', { name: '@Evening shift', selected: true }).waitFor()
    await theirs.keyboard.press('Enter')
    await theirs.keyboard.press('Enter')
    const mention = row(hers, 'and @Evening shift')
    await mention.and(hers.locator('.mentioned')).waitFor()
    await expect.poll(() => mention.locator('.mention').allTextContents()).toEqual(['@everyone', '@Evening shift'])
    expect(await axeViolations(hers)).toEqual([])

    await newMessage(hers).click()
    await hers.keyboard.type('why @every')
    await newMessage(hers).fill('why @everyone?')
    await newMessage(hers).press('Enter')
    const plain = row(theirs, 'why @everyone?')
    await plain.waitFor()
    await expect.poll(() => plain.locator('.mention').count()).toBe(0)
    await expect.poll(() => hers.getByRole('option').count()).toBe(0)
    const { messages } = expectOk(await owner.get<{ messages: object[] }>(`/rooms/${room.id}/history`))
    expect(messages.map((message) => 'mentionedGroups' in message)).toEqual([true, false])
  })
})
