import type { Locator, Page } from 'playwright-core'
import { channelFixture, type FixtureOptions, type ChannelFixture } from '../server/test/channel-fixture.ts'
import type { Bot } from '../server/test/bot.ts'
import type { Visitor } from './browser.ts'
import { signedIn } from './chat-visit.ts'
import { DESKTOP } from './portal-visit.ts'

interface Cabinet extends ChannelFixture<0, 1> {
  readonly bot: Bot
  readonly page: Page
  /** Where its owner finds the application: for paths of the API. */
  readonly own: string
  say(text: string): Promise<void>
}

interface Extra {
  readonly prepare?: (bot: Bot) => Promise<unknown>
  /** The name by which the portal is visited. */
  readonly host?: string
}

/** A bot on a channel, and its owner's page of it. */
export async function cabinet(
  open: Visitor['open'],
  path: string,
  { prepare, host, ...wish }: Pick<FixtureOptions<0, 1>, 'quotas'> & Extra = {},
): Promise<Cabinet> {
  const made = await channelFixture({ bots: 1, ...wish })
  const { server, owner, room, bots } = made
  const [bot] = bots
  await prepare?.(bot)
  const own = `/applications/${bot.application.id}`
  const url = new URL(server.url)
  if (host !== undefined) url.hostname = host
  const page = await open(`${url.origin}/apps/${bot.application.id}${path}`, {
    ...signedIn(url.origin, owner),
    // Over plain http browsers say which of our headers they do not heed.
    ...(host !== undefined && { provokes: [/Cross-Origin-Opener-Policy header has been ignored/] }),
    viewport: DESKTOP,
  })
  await page.getByRole('heading', { level: 1, name: bot.application.name }).waitFor()
  const say = async (text: string): Promise<void> => {
    const { status } = await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text })
    if (status !== 201) throw new Error(`a message was answered with ${status}`)
  }
  return { ...made, bot, page, own, say }
}

/** A part of the page under its heading. */
export function panel(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true })
}

/** Waits until a fact of the page is this. */
export async function fact(page: Page, term: string, said: string | RegExp): Promise<void> {
  const words = page.getByRole('term').filter({ hasText: new RegExp(`^${term}$`) })
  const exactly = typeof said === 'string' ? new RegExp(`^${said}$`) : said
  await words.locator('xpath=following-sibling::dd[1]').filter({ hasText: exactly }).waitFor()
}
