import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** Holds back the answer to the next unmute in chat. Returns a function that gives it, and waits until the page has used it. */
export async function holdUnmute(page: Page): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  await page.route(
    '**/chat-mute',
    async (route) => {
      const response = await route.fetch()
      await held.promise
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  return async () => {
    const refetched = page.waitForResponse((response) => /\/members\/[0-9a-f-]{36}$/.test(response.url()))
    held.resolve()
    await refetched
    // The page waits for its other requests, too.
    await sleep(500)
  }
}
