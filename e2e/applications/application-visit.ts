import type { Locator, Page } from 'playwright-core'
import { channelFixture, type FixtureOptions, type ChannelFixture } from '../../server/test/channel-fixture.ts'
import type { Bot } from '../../server/test/bot.ts'
import type { Visitor } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP } from '../portal-visit.ts'

interface ApplicationVisit extends ChannelFixture<0, 1> {
  readonly bot: Bot
  readonly page: Page
  /** The application’s path in the portal API. */
  readonly own: string
  say(text: string): Promise<void>
}

interface Extra {
  readonly prepare?: (bot: Bot) => Promise<unknown>
  /** The host name of the portal in the browser. */
  readonly host?: string
  /** Errors that may or may not occur. */
  readonly excuses?: readonly RegExp[]
}

/** A bot in a channel, and its owner on the application’s page. */
export async function openApplication(
  open: Visitor['open'],
  path: string,
  { prepare, host, excuses = [], ...wish }: Pick<FixtureOptions<0, 1>, 'quotas'> & Extra = {},
): Promise<ApplicationVisit> {
  const made = await channelFixture({ bots: 1, ...wish })
  const { server, owner, room, bots } = made
  const [bot] = bots
  await prepare?.(bot)
  const own = `/applications/${bot.application.id}`
  const url = new URL(server.url)
  if (host !== undefined) url.hostname = host
  const page = await open(`${url.origin}/apps/${bot.application.id}${path}`, {
    ...signedIn(url.origin, owner),
    // Over plain http browsers log which of our headers they ignore.
    ...(host !== undefined && { provokes: [/Cross-Origin-Opener-Policy header has been ignored/] }),
    excuses,
    viewport: DESKTOP,
  })
  await page.getByRole('heading', { level: 1, name: bot.application.name }).waitFor()
  const say = async (text: string): Promise<void> => {
    const { status } = await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text })
    if (status !== 201) throw new Error(`a message was answered with ${status}`)
  }
  return { ...made, bot, page, own, say }
}

/** The section of the page with this heading. */
export function panel(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true })
}

/** Waits until a fact on the page has this value. */
export async function fact(page: Page, term: string, said: string | RegExp): Promise<void> {
  const words = page.getByRole('term').filter({ hasText: new RegExp(`^${term}$`) })
  const exactly = typeof said === 'string' ? new RegExp(`^${said}$`) : said
  await words.locator('xpath=following-sibling::dd[1]').filter({ hasText: exactly }).waitFor()
}
