import { describe, expect, test } from 'vitest'
import { auditLog } from '../../test/audit-log.ts'
import { botApiFixture } from '../../test/bot-api-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'

describe('every moderation operation', () => {
  test('applies only to members ranked below the bot, never to the owner or the bot itself', async () => {
    const made = await botApiFixture()
    const { bot, owner, newBot, give, newRole, at, enter, otherVoice, rooms } = made
    await give(bot, 'CHANNEL_MODERATOR')
    const equal = await newBot()
    await give(equal, 'CHANNEL_MODERATOR')
    const higher = await newBot()
    await give(higher, 'CHANNEL_ADMIN')
    const below = await newBot()
    await give(below, 'CHANNEL_BOT', await newRole('Helper', []))
    for (const member of [owner, bot, equal, higher, below]) await enter(member, otherVoice)

    const attempts = (userId: string) => [
      () => bot.put(`${at}/members/${userId}/chat-mute`, {}),
      () => bot.delete(`${at}/members/${userId}/chat-mute`),
      () => bot.put(`${at}/members/${userId}/voice-mute`, {}),
      () => bot.delete(`${at}/members/${userId}/voice-mute`),
      () => bot.put(`${at}/members/${userId}/room`, { roomId: rooms.voice }),
      () => bot.delete(`${at}/members/${userId}/voice`),
      () => bot.delete(`${at}/members/${userId}`),
    ]
    const before = await auditLog(made)
    for (const { id } of [owner, bot, equal, higher]) {
      for (const attempt of attempts(id)) expectRefusal(await attempt(), 'forbidden', { reason: 'outranked' })
    }
    expect(await auditLog(made)).toEqual(before)
    for (const attempt of attempts(below.id)) expect((await attempt()).status).toBeLessThan(300)
  })
})
