import type { Component, Message } from '@portico/contract'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { Stream } from '../../server/test/stream.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { PHONE } from '../portal-visit.ts'
import { field, openConnected, openRoom, row, say, sent } from './chat-visit.ts'

const COMPONENTS: Component[] = [
  { type: 'button', id: 'approve', label: 'Approve', style: 'primary' },
  { type: 'button', id: 'reject', label: 'Reject', style: 'danger' },
  {
    type: 'select',
    id: 'where',
    label: 'Deploy to',
    options: [
      { value: 'staging', label: 'Staging' },
      { value: 'live', label: 'Production' },
    ],
  },
]

/** A message with buttons, and the stream of its bot. */
async function componentsFixture() {
  const made = await channelFixture({ bots: 1, people: 1 })
  const { server, bots, room, people } = made
  const [bot] = bots
  const at = `/rooms/${room.id}/messages`
  const token = async () => expectOk(await bot.get<{ token: string }>('/events/token?kinds=component.pressed')).token
  const stream = await Stream.with(server, token)
  const body = { channelId: room.channelId, text: 'Deploy 1.4.0?', components: COMPONENTS }
  const { id } = expectOk(await bot.post<Message>(at, body))
  return {
    ...made,
    bot,
    stream,
    reader: people[0],
    place: { url: server.url, room },
    edit: async (change: object) => {
      expectOk(await bot.patch(`${at}/${id}`, { channelId: room.channelId, ...change }))
    },
  }
}

describeInBrowser('buttons and selects', ({ open }) => {
  test('reach the bot by keyboard, show that it is awaited, and go away with its edit', async () => {
    const { reader, place, stream, edit } = await componentsFixture()
    const page = await openRoom(open, place, reader)
    const message = row(page, 'Deploy 1.4.0?')
    const approve = message.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    expect(await axeViolations(page)).toEqual([])

    await message.focus()
    while (!(await approve.evaluate((button) => button === document.activeElement))) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await message
      .getByRole('status')
      .getByText(/^Waiting for /)
      .waitFor()
    const [pressed] = await stream.first(1)
    expect(pressed).toMatchObject({
      event: 'component.pressed',
      data: { componentId: 'approve', user: { id: reader.id } },
    })
    // Meanwhile everything else works.
    await say(page, 'I have pressed it')
    await sent(page, 'I have pressed it').waitFor()
    expect(await axeViolations(page)).toEqual([])

    await edit({ text: 'Deploying 1.4.0', components: [] })
    const edited = row(page, 'Deploying 1.4.0')
    await edited.waitFor()
    await edited.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' })
    expect(await page.getByText(/^Waiting for /).count()).toBe(0)
  })

  test('of a select are chosen and confirmed on a phone, and a notice of the bot is an answer', async () => {
    const { bot, room, owner, reader, place, stream } = await componentsFixture()
    const page = await openConnected(open, place, reader, owner, { viewport: PHONE })
    const message = row(page, 'Deploy 1.4.0?')
    await message.getByRole('combobox', { name: 'Deploy to' }).selectOption('Production')
    await message.getByRole('button', { name: 'Choose: Deploy to' }).click()
    const [pressed] = await stream.first(1)
    expect(pressed).toMatchObject({ data: { componentId: 'where', value: 'live' } })
    const waiting = message.getByRole('status').getByText(/^Waiting for /)
    await waiting.waitFor()
    const { x = 0, width = 0 } = (await message.getByRole('group').boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual(PHONE.width)
    expect(await axeViolations(page)).toEqual([])
    const body = { channelId: room.channelId, userId: reader.id, text: 'Production is closed today' }
    expectOk(await bot.post(`/rooms/${room.id}/notices`, body))
    await page.getByText('Production is closed today').waitFor()
    await waiting.waitFor({ state: 'detached' })
  })

  test('of a notice reach the bot, and go away when the notice is replaced', async () => {
    const { bot, room, owner, reader, place, stream } = await componentsFixture()
    const page = await openConnected(open, place, reader, owner)
    const body = { channelId: room.channelId, userId: reader.id, text: 'Really?', components: COMPONENTS }
    const { id: noticeId } = expectOk(await bot.post<{ id: string }>(`/rooms/${room.id}/notices`, body))
    const notice = page.getByRole('article').filter({ hasText: 'Really?' })
    await notice.getByRole('button', { name: 'Approve' }).click()
    await notice
      .getByRole('status')
      .getByText(/^Waiting for /)
      .waitFor()
    expect((await stream.first(1))[0]).toMatchObject({ data: { noticeId, componentId: 'approve' } })
    expect(await axeViolations(page)).toEqual([])
    const answer = { channelId: room.channelId, userId: reader.id, text: 'Deploying', noticeId }
    expectOk(await bot.post(`/rooms/${room.id}/notices`, answer))
    await page.getByText('Deploying', { exact: true }).waitFor()
    await page.getByText('Really?').waitFor({ state: 'detached' })
    expect(await page.getByText(/^Waiting for /).count()).toBe(0)
  })

  test('of a bot that doesn’t answer say so after a minute', async () => {
    const { reader, place, stream } = await componentsFixture()
    const page = await openRoom(open, place, reader)
    await page.clock.install()
    const message = row(page, 'Deploy 1.4.0?')
    await message.getByRole('button', { name: 'Reject' }).click()
    await message
      .getByRole('status')
      .getByText(/^Waiting for /)
      .waitFor()
    await stream.first(1)
    await page.clock.fastForward(61_000)
    await message
      .getByRole('status')
      .getByText(/hasn’t answered\.$/)
      .waitFor()
    await message.getByRole('button', { name: 'Reject' }).click()
    await message
      .getByRole('status')
      .getByText(/^Waiting for /)
      .waitFor()
    await stream.first(2)
    await field(page).waitFor()
  })
})
