import { noticeShown, type Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { OpenPortal } from '../../../server/test/open-portal.ts'
import { botOf } from '../../test/start-bot.ts'

/** A bot that has sent a message with two buttons and a select as soon as `ask` is called. */
async function pressFixture() {
  const made = await channelFixture({ bots: 1, people: 1 })
  const { server, room, bots, people } = made
  const [ada] = people
  const bot = botOf(server, bots[0])
  const { channelId, id: roomId } = room
  const at = `/rooms/${roomId}/messages`
  return {
    ...made,
    bot,
    ada,
    open: await OpenPortal.of(server, ada),
    ask: () =>
      bot.client.sendMessage({
        channelId,
        roomId,
        text: 'Deploy 1.4.0?',
        components: [
          { type: 'button', id: 'approve:1.4.0', label: 'Approve' },
          { type: 'button', id: 'reject', label: 'Reject' },
          { type: 'select', id: 'where', label: 'Where', options: [{ value: 'live', label: 'Production' }] },
        ],
      }),
    press: async (messageId: string, componentId: string, value?: string) =>
      expectOk(
        await ada.post<{ id: string }>(`${at}/${messageId}/presses`, {
          channelId,
          componentId,
          ...(value !== undefined && { value }),
        }),
      ),
    newest: async () => expectOk(await ada.get<{ messages: Message[] }>(`${at}?channelId=${channelId}`)).messages[0],
  }
}

describe('a handler of a button', () => {
  test('edits the message and answers to who pressed only, without asking for the event itself', async () => {
    const { bot, ada, open, ask, press, newest } = await pressFixture()
    bot.button(/^approve:(.+)$/, async (ctx) => {
      await ctx.update(`Approved by ${ctx.author.name}`, { components: [] })
      await ctx.notice(`You approved ${ctx.match[1]}`)
    })
    await bot.start()
    const { id } = await ask()
    await press(id, 'approve:1.4.0')
    const { notice } = (await open.next(noticeShown)).data
    expect(notice.text).toBe('You approved 1.4.0')
    const message = await newest()
    expect(message).toMatchObject({ id, text: `Approved by ${ada.name}` })
    expect(message).not.toHaveProperty('components')
  })

  test('is called only for its button, with who pressed and which message it was', async () => {
    const { bot, ada, ask, press } = await pressFixture()
    const seen: unknown[] = []
    bot
      .button('reject', ({ author, messageId, value, pressId }) =>
        seen.push(['button', author.name, messageId, value, pressId]),
      )
      .button('reject.', () => seen.push('another button'))
      .button('where', () => seen.push('a button instead of the select'))
      .select(/^where$/g, ({ value, match }) => seen.push(['select', value, match[0]]))
      .on('component.pressed', (_event, { componentId }) => seen.push(['event', componentId]))
    await bot.start()
    const { id } = await ask()
    const { id: pressId } = await press(id, 'reject')
    const twice = ['live', 'live']
    for (const value of twice) await press(id, 'where', value)
    await eventually(() => seen).toHaveLength(6)
    const chosen = twice.flatMap((value) => [
      ['select', value, 'where'],
      ['event', 'where'],
    ])
    expect(seen).toEqual([['button', ada.name, id, undefined, pressId], ['event', 'reject'], ...chosen])
  })

  test('can reply with further buttons', async () => {
    const { bot, ask, press, newest } = await pressFixture()
    const components = [{ type: 'button', id: 'sure', label: 'Yes', style: 'danger' } as const]
    bot.button('reject', (ctx) => ctx.reply('Are you sure?', { components }))
    await bot.start()
    const { id } = await ask()
    await press(id, 'reject')
    await eventually(newest).toMatchObject({ text: 'Are you sure?', replyToId: id, components })
  })

  test('in a notice replaces it, or answers in the room', async () => {
    const { bot, ada, open, room, ask, press, newest } = await pressFixture()
    const components = [{ type: 'button', id: 'sure', label: 'Yes', style: 'danger' } as const]
    bot.button('reject', (ctx) => ctx.notice('Are you sure?', { components }))
    bot.button('sure', async (ctx) => {
      await ctx.update('Rejected')
      await ctx.reply(`${ctx.author.name} rejected it`)
    })
    await bot.start()
    await press((await ask()).id, 'reject')
    const { notice } = (await open.next(noticeShown)).data
    expect(notice).toMatchObject({ text: 'Are you sure?', components })
    const { id: noticeId, author, proof } = notice
    const shown = { channelId: room.channelId, botId: author.id, components, proof }
    expectOk(await ada.post(`/rooms/${room.id}/notices/${noticeId}/presses`, { ...shown, componentId: 'sure' }))
    const { notice: replaced } = (await open.next(noticeShown)).data
    expect(replaced).toMatchObject({ id: noticeId, text: 'Rejected' })
    expect(replaced).not.toHaveProperty('components')
    await eventually(newest).toMatchObject({ text: `${ada.name} rejected it` })
    expect(await newest()).not.toHaveProperty('replyToId')
  })

  test('is refused after the start if the bot hasn’t asked for presses', async () => {
    const { bot } = await pressFixture()
    await bot.start()
    expect(() => bot.button('approve', () => {})).toThrow('add its handler before')
    expect(() => bot.select('where', () => {})).toThrow('add its handler before')
  })
})
