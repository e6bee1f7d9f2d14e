import type { Message, OwnChannel, Output, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { expect, test } from 'vitest'
import { Bot as Application } from '../../../server/test/bot.ts'
import { expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { portalProcess } from '../../test/portal-process.ts'
import { botOf } from '../../test/start-bot.ts'
import { PorticoError } from '../index.ts'

/** How often the portal is killed. */
const KILLS = Number(process.env['PORTICO_TEST_ROUNDS'] ?? 2)

/** A portal in a process of its own with a room, and an application that may write there. */
async function room() {
  const portal = await portalProcess()
  const { url, owner } = portal
  const { id: channelId } = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Oracle', open: true }))
  const application = await Application.of({ url }, owner, 'Thinker')
  expectOk(await owner.put(`/channels/${channelId}/applications/${application.application.id}`, {}))
  const { id } = expectOk(await owner.post<Room>(`/channels/${channelId}/rooms`, { name: 'answers', type: 'text' }))
  const at = `/rooms/${id}/messages`
  const messages = async () =>
    expectOk(await owner.get<{ messages: Message[] }>(`${at}?channelId=${channelId}`)).messages
  return { ...portal, channelId, at, application, messages }
}

test(
  'what was acknowledged before the portal is killed stays, and the message goes on or is interrupted',
  { timeout: 3_600_000 },
  async () => {
    const { restart, channelId, at, application, messages } = await room()
    const start = async (text: string) =>
      expectOk(await application.post<Message>(`${at}/streams`, { channelId, text })).id
    const append = async (id: string, position: number, text: string) =>
      application.post<Output<typeof api.appendToMessage>>(`${at}/${id}/append`, { channelId, position, text })
    const [ongoing, abandoned] = [await start('On'), await start('Left')]
    expectOk(await append(abandoned, 4, ' alone'))
    let text = 'On'
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const piece = ` and on ${kill}`
      expectOk(await append(ongoing, text.length, piece))
      text += piece
      // Nobody knows whether it arrives before the end.
      const last = append(ongoing, text.length, ' perhaps').catch(() => undefined)
      await restart()
      await last
      const stored = (await messages()).find(({ id }) => id === ongoing)
      expect([text, `${text} perhaps`]).toContain(stored?.text)
      const answer = await append(ongoing, text.length, ' perhaps')
      // Where the portal takes more than a minute to come back.
      if (answer.status === 422) return expect((await messages())[1]).toMatchObject({ streaming: 'interrupted' })
      text += ' perhaps'
      expect(expectOk(answer).position).toBe(text.length)
    }
    const ended = expectOk(await application.post(`${at}/${ongoing}/finish`, { channelId, position: text.length }))
    expect(ended).toEqual({ id: ongoing, text })
    const left = async () => (await messages()).find(({ id }) => id === abandoned)
    // After a minute of silence.
    await eventually(left).toMatchObject({ text: 'Left alone', streaming: 'interrupted' })
  },
)

test(
  'a handler of the SDK writes its message to the end while the portal is killed',
  { timeout: 3_600_000 },
  async () => {
    const { url, owner, restart, channelId, at, application, messages } = await room()
    const bot = botOf({ url }, application)
    const pieces = Array.from({ length: 40 * KILLS }, (_, position) => ` ${position}`)
    const finished = Promise.withResolvers<unknown>()
    bot.onError((error) => finished.resolve(error))
    bot.command('/count', { description: 'Counts' }, async (ctx) => {
      const stream = await ctx.stream()
      for (const [position, piece] of pieces.entries()) {
        await stream.append(piece)
        // In the midst of it, while something is on its way.
        if (position % 40 === 20) await restart()
      }
      finished.resolve(await stream.finish())
    })
    await bot.start()
    expectOk(await owner.post(at, { channelId, text: '/count' }))
    const outcome = await finished.promise
    if (outcome instanceof PorticoError) {
      // Where the portal takes more than a minute to come back.
      await eventually(async () => (await messages())[0]?.streaming).toBe('interrupted')
      return expect(pieces.join('')).toContain((await messages())[0]?.text)
    }
    expect(outcome).toMatchObject({ text: pieces.join('') })
    const [message] = await messages()
    expect(message?.text).toBe(pieces.join(''))
    expect(message).not.toHaveProperty('streaming')
  },
)
