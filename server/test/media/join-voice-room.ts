import type { RoomOptions } from '@livekit/rtc-node'
import type { VoiceSession } from '@portico/contract'
import { onTestFinished } from 'vitest'
import type { Bot } from '../bot.ts'
import { expectOk } from '../expect-ok.ts'
import { RtcBot } from './rtc-bot.ts'

/** Connects a bot to a voice room by the media server’s address. It leaves after the test. */
export async function joinVoiceRoom(
  bot: Bot,
  { id, channelId }: { readonly id: string; readonly channelId: string },
  url: string,
  options: Partial<RoomOptions> = {},
): Promise<RtcBot> {
  const { token } = expectOk(await bot.post<VoiceSession>(`/rooms/${id}/voice`, { channelId }))
  const joined = await RtcBot.connect(url, token, options)
  onTestFinished(() => joined.leave())
  return joined
}
