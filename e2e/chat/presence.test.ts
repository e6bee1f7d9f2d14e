import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { OpenPortal } from '../../server/test/open-portal.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { DESKTOP, received, signedOut, signIn } from '../portal-visit.ts'

/** Delays the responses to the next requests for the members of a channel. */
class SlowAnswers {
  /** Resolves when the server has responded to all of them. */
  readonly given: Promise<void>
  readonly arrive: () => void

  private constructor(given: Promise<void>, arrive: () => void) {
    this.given = given
    this.arrive = arrive
  }

  static async of(page: Page, requests: number): Promise<SlowAnswers> {
    const given = Promise.withResolvers<void>()
    const arrival = Promise.withResolvers<void>()
    let answers = 0
    await page.route(
      '**/members/by-name?*',
      async (route) => {
        const response = await route.fetch()
        if ((answers += 1) === requests) given.resolve()
        await arrival.promise
        // The page may have canceled it.
        await route.fulfill({ response }).catch(() => undefined)
      },
      { times: requests },
    )
    return new SlowAnswers(given.promise, arrival.resolve)
  }
}

describeInBrowser('a member who comes online', ({ open }) => {
  test('while the member list loads for the first time is shown online', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, { ...signedOut, viewport: DESKTOP })
    const answer = await SlowAnswers.of(page, 1)
    const subscribed = received(page, '"subscribe"')
    const announced = received(page, 'presence.changed', ada.id)
    await signIn(page, owner)
    await Promise.all([answer.given, subscribed])
    await OpenPortal.of(server, ada)
    await announced
    answer.arrive()
    const column = page.getByRole('complementary', { name: 'Members' })
    await column.getByRole('button', { name: `${ada.name} online` }).waitFor()
  })

  test('while the member list reloads stays online', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 2 })
    const [ada, boris] = people
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, { ...signedOut, viewport: DESKTOP })
    const subscribed = received(page, '"subscribe"')
    const announced = received(page, 'presence.changed', ada.id)
    await signIn(page, owner)
    const column = page.getByRole('complementary', { name: 'Members' })
    await Promise.all([column.getByRole('button', { name: `${ada.name} offline` }).waitFor(), subscribed])
    // The change emits a member event and a channel event, and each makes the page reload the list.
    const answer = await SlowAnswers.of(page, 2)
    expectOk(await owner.put(`${at}/members/${boris.id}/nickname`, { nickname: 'Bo' }))
    await answer.given
    await OpenPortal.of(server, ada)
    await announced
    answer.arrive()
    await column.getByRole('button', { name: 'Bo offline' }).waitFor()
    await column.getByRole('button', { name: `${ada.name} online` }).waitFor()
  })
})
