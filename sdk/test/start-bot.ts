import { onTestFinished } from 'vitest'
import type { Bot as Application } from '../../server/test/bot.ts'
import { Bot, type BotOptions } from '../src/index.ts'

/** A bot of the SDK with the key of an application of the fixture. Stopped after the test. */
export function botOf(
  { url }: { readonly url: string },
  { key }: Pick<Application, 'key'>,
  options: Partial<BotOptions> = {},
): Bot {
  const bot = new Bot({ url, key, ...options })
  onTestFinished(() => bot.stop())
  return bot
}
