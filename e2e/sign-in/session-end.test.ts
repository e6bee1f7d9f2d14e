import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import { describeInBrowser } from '../browser.ts'
import { SENT_TOO_LATE, SESSION_ENDED, signedOut, signIn } from '../portal-visit.ts'

/** A person who is signed in in a browser, with a room on the screen. */
async function visit(open: (url: string, options: object) => Promise<Page>) {
  const { server, owner, channel, room } = await channelFixture()
  const address = `${server.url}/c/${channel.id}/${room.id}`
  const page = await open(address, { ...signedOut, excuses: [SESSION_ENDED, SENT_TOO_LATE] })
  await signIn(page, owner)
  await roomShown(page)
  return { page, owner, address, database: server.services.database.kysely }
}

async function roomShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
}

/** Ends the session that was used last, other than the current one of this device. */
async function endLatestOther(device: Person): Promise<void> {
  const { sessions } = expectOk(await device.get<Output<typeof api.listSessions>>('/sessions'))
  const [latest] = sessions.filter(({ current }) => !current).toSorted(byCreation)
  expectOk(await device.delete(`/sessions/${latest?.id}`))
}

function byCreation(a: { createdAt: string }, b: { createdAt: string }): number {
  return Date.parse(b.createdAt) - Date.parse(a.createdAt)
}

/** A moment as this browser writes it. */
function written(page: Page, moment: string, locale: string): Promise<string> {
  return page.evaluate(
    ([at, of]) =>
      new Intl.DateTimeFormat(of, { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' }).format(
        new Date(at),
      ),
    [moment, locale] as const,
  )
}

/** Resolves when the page has requested why its session ended and there is nothing to say. */
async function nothingToSay(page: Page, act: () => Promise<unknown>): Promise<void> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/portal/v1/session/end')),
    act(),
  ])
  expect(await answer.json()).toEqual({ end: null })
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.getByText(/signed out on/).count()).toBe(0)
}

describeInBrowser('the sign-in page', ({ open }) => {
  test('says when and why the session was ended on another device while the page was open', async () => {
    const { page, owner, address, database } = await visit(open)

    await endLatestOther(owner)

    const notice = page.getByRole('status').getByText('because this session was ended on another device.')
    await notice.waitFor()
    const { ended_at } = await database
      .selectFrom('ended_sessions')
      .select('ended_at')
      .where('account_id', '=', owner.id)
      .executeTakeFirstOrThrow()
    const when = await written(page, ended_at, 'en-GB')
    expect(when).toMatch(/^\d+ \w+ at \d\d:\d\d$/)
    expect(await notice.textContent()).toBe(
      `You were signed out on ${when} because this session was ended on another device.`,
    )

    await signIn(page, owner)
    await roomShown(page)
    expect(page.url()).toBe(address)
    await page.reload()
    await roomShown(page)
    expect(await page.getByText(/signed out on/).count()).toBe(0)
  })

  test('says it days later to a browser that still has the cookie, in its language', async () => {
    const { page, owner, address, database } = await visit(open)
    const context = page.context()
    await page.close()
    const newPassword = 'another horse battery'
    expectOk(await owner.put('/account/password', { currentPassword: owner.password, newPassword }))
    const { ended_at } = await database
      .updateTable('ended_sessions')
      .set({ ended_at: sql<string>`ended_at - interval '3 days'` })
      .where('account_id', '=', owner.id)
      .returning('ended_at')
      .executeTakeFirstOrThrow()

    const later = await context.newPage()
    await later.goto(address)
    const why = 'because your password was changed.'
    const english = `You were signed out on ${await written(later, ended_at, 'en-GB')} ${why}`
    await later.getByRole('status').getByText(english, { exact: true }).waitFor()
    await later.getByText('Русский').click()
    const russian = `Сеанс завершён ${await written(later, ended_at, 'ru')}, потому что пароль изменён.`
    await later.getByRole('status').getByText(russian, { exact: true }).waitFor()
  })

  test('says nothing to someone who signed out, or who never signed in', async () => {
    const { page, owner, address } = await visit(open)
    await endLatestOther(owner)
    await page.getByText(/signed out on/).waitFor()
    await signIn(page, owner)
    await roomShown(page)

    await page.getByRole('button', { name: owner.name }).first().click()
    await nothingToSay(page, () => page.getByRole('button', { name: 'Sign out' }).click())
    await nothingToSay(page, () => page.reload())

    const stranger = await open(address, signedOut)
    await stranger.getByRole('heading', { name: 'Sign in' }).waitFor()
    await nothingToSay(stranger, () => stranger.reload())
  })
})
