import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Bot } from '../../server/test/bot.ts'
import { WebhookReceiver } from '../../server/test/webhook-receiver.ts'
import { expectOk, portal } from '../../server/test/channel-fixture.ts'
import { describeInBrowser, type Visitor } from '../browser.ts'
import { openApplication, fact, panel } from './application-visit.ts'
import { focused } from '../portal-visit.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8', WEBHOOK_RETRY_PAUSES: '600' })

/** The page of an application whose webhook has its own receiver. */
async function openWebhookPage(open: Visitor['open'], path: string) {
  const receiver = await WebhookReceiver.start()
  let secret = ''
  const prepare = async (bot: Bot): Promise<void> => {
    secret = expectOk(await bot.put<{ secret: string }>('/webhook', { url: receiver.url })).secret
  }
  return { receiver, ...(await openApplication(open, path, { prepare })), secret }
}

describeInBrowser('the webhook page', ({ open }) => {
  test('sends a test event and shows each attempt live', async () => {
    const { page, receiver, owner, own } = await openWebhookPage(open, '/webhook')
    receiver.replies = [(response) => response.writeHead(500).end('out of coal')]
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('heading', { level: 2, name: 'ping' }).waitFor()
    await fact(page, 'Status', 'Pending')
    await fact(page, 'Next attempt', /^in \d+ minutes$/)
    const attempts = panel(page, 'Attempts')
    await attempts.getByText('Attempt 1', { exact: true }).waitFor()
    await attempts.getByText('answered 500').waitFor()
    await page.getByRole('region', { name: 'Response to attempt 1' }).getByText('out of coal').waitFor()
    await attempts.getByText(receiver.url).waitFor()
    const [received] = receiver.received
    const headers = page.getByRole('region', { name: 'Headers of attempt 1' })
    await headers.getByText(`webhook-timestamp: ${String(received?.headers['webhook-timestamp'])}`).waitFor()
    await headers.getByText(`webhook-signature: ${String(received?.headers['webhook-signature'])}`).waitFor()
    await page.getByRole('region', { name: 'Body' }).getByText('"event": "ping"').waitFor()

    receiver.replies = [204]
    await page.getByRole('button', { name: 'Send again' }).click()
    await attempts.getByText('Attempt 2', { exact: true }).waitFor()
    await fact(page, 'Status', 'Delivered')
    await page.getByText('Next attempt').waitFor({ state: 'detached' })

    // Requested elsewhere: nothing on this page is clicked.
    receiver.replies = [418]
    const id = new URL(page.url()).pathname.split('/').at(-1)
    expectOk(await owner.post(`${own}/deliveries/${id}/redeliver`))
    await attempts.getByText('answered 418').waitFor()
    await fact(page, 'Status', 'Pending')
    expect(receiver.received.map((delivery) => delivery.id)).toEqual([id, id, id])
  })

  test('shows a webhook that was turned off, turns it on and replays held events', async () => {
    const { page, receiver, say } = await openWebhookPage(open, '/webhook')
    const state = panel(page, 'Status')
    await state.getByText('On', { exact: true }).waitFor()
    receiver.replies = [410]
    await say('one')
    await state.getByText('Off', { exact: true }).waitFor()
    await fact(page, 'Last error', /^Your server responded with an error\. answered 410$/)
    await fact(page, 'Held events', '1')
    await say('two')
    await fact(page, 'Held events', '2')

    receiver.replies = [204]
    await state.getByRole('button', { name: 'Turn back on' }).click()
    await state.getByText('On', { exact: true }).waitFor()
    await state.getByText('2 events are held. You can replay them.').waitFor()
    await state.getByRole('button', { name: 'Replay them' }).click()
    await fact(page, 'Held events', '0')
    await fact(page, 'Pending deliveries', '0')
    await state.getByRole('button', { name: 'Replay them' }).waitFor({ state: 'detached' })
    expect(receiver.texts).toEqual(['one', 'two'])
  })

  test('shows a webhook that is off in the list and the overview, with the last error', async () => {
    const { server, page, receiver, say } = await openWebhookPage(open, '')
    receiver.replies = [410]
    await say('one')
    const notice = panel(page, 'Webhook')
    await notice.getByText('Webhook off').waitFor()
    await notice.getByText('answered 410').waitFor()
    await page.goto(`${server.url}/apps`)
    const tile = page.getByRole('link', { name: /Webhook off/ })
    await tile.getByText('Your server responded with an error.').waitFor()
  })

  test('shows a webhook that is paused without the events scope, and resumes with it', async () => {
    const { server, page, own, owner } = await openWebhookPage(open, '/webhook')
    const state = panel(page, 'Status')
    await state.getByText('On', { exact: true }).waitFor()
    expectOk(await owner.put(`${own}/key`, { scopes: ['messages:read'] }))
    await state.getByText('Paused', { exact: true }).waitFor()
    await state.getByText('The application has no key with the scope “events”', { exact: false }).waitFor()
    await expect.poll(() => state.getByRole('link', { name: 'Issue a key' }).count()).toBe(1)
    await expect.poll(() => state.getByRole('button').count()).toBe(0)
    await expect.poll(() => state.getByText(/fail|error|turned/i).count()).toBe(0)
    await page.goto(`${server.url}/apps`)
    await page.getByRole('link', { name: /Webhook paused/ }).click()
    await panel(page, 'Webhook').getByText('Webhook paused').waitFor()
    expectOk(await owner.put(`${own}/key`, { scopes: ['events'] }))
    await panel(page, 'Webhook').waitFor({ state: 'detached' })
  })

  test('changes the kinds of event, which “Why can’t my bot …?” explains', async () => {
    const { page, receiver, at, bot, newPerson } = await openWebhookPage(open, '/webhook')
    const kinds = panel(page, 'Kinds of event')
    await expect.poll(() => kinds.getByRole('checkbox', { name: 'message.created' }).isChecked()).toBe(true)
    expect(await kinds.getByRole('checkbox', { name: 'member.joined' }).isChecked()).toBe(false)
    await kinds.getByRole('checkbox', { name: 'member.joined' }).check()
    await kinds.getByRole('button', { name: 'Change kinds' }).click()
    await kinds.getByRole('button', { name: 'Change kinds' }).waitFor({ state: 'detached' })
    expectOk(await (await newPerson()).post(`${at}/join`))
    const [delivery] = await receiver.first(1)
    expect(delivery?.event.event).toBe('member.joined')

    await page.goto(new URL(`/apps/${bot.application.id}/why`, page.url()).href)
    await page.getByRole('combobox', { name: 'Action' }).selectOption('setWebhook')
    await page.getByText(/only these are sent: .*member\.joined/).waitFor()
    await page.getByRole('combobox', { name: 'Action' }).selectOption('getEventToken')
    await page.getByRole('heading', { name: 'Allowed', exact: true }).waitFor()
  })

  test('rotates the secret, shows the new one once and signs with it', async () => {
    const { page, receiver, say, secret } = await openWebhookPage(open, '/webhook')
    const rotate = panel(page, 'Signing secret').getByRole('button', { name: 'Rotate secret' })
    await rotate.click()
    const sure = page.getByRole('dialog', { name: 'Rotate the signing secret?' })
    await sure.getByRole('button', { name: 'Rotate secret' }).click()
    const shown = page.getByRole('dialog', { name: 'Your signing secret' })
    const fresh = await shown.getByRole('textbox', { name: 'Signing secret' }).inputValue()
    expect(fresh).toMatch(/^whsec_/)
    expect(fresh).not.toBe(secret)
    await shown.getByRole('checkbox', { name: 'I’ve saved it' }).check()
    await shown.getByRole('button', { name: 'Close' }).click()
    await shown.waitFor({ state: 'detached' })
    await focused(page, rotate)

    await say('signed')
    const [delivery] = await receiver.first(1)
    const signature = createHmac('sha256', fresh)
      .update(delivery?.bytes ?? '')
      .digest('hex')
    expect(delivery?.headers['x-service-signature']).toBe(`sha256=${signature}`)
  })

  test('lists deliveries page by page and live, and keeps the focus', async () => {
    const { server, page, say, bot } = await openWebhookPage(open, '')
    await sql`INSERT INTO deliveries (id, application_id, event, body, state, created_at)
      SELECT gen_random_uuid(), ${bot.application.id}::uuid, 'old.' || n, '{}', 'delivered', now() - n * interval '1 minute'
      FROM generate_series(1, 120) n`.execute(server.services.database.kysely)
    await page
      .getByRole('navigation', { name: 'Application sections' })
      .getByRole('link', { name: 'Deliveries' })
      .click()
    const delivery = (event: string) => page.getByRole('link', { name: event, exact: true })
    const more = page.getByRole('button', { name: 'Show older' })
    await delivery('old.50').waitFor()
    await expect.poll(() => delivery('old.51').count()).toBe(0)
    await more.press('Enter')
    await delivery('old.100').waitFor()
    await focused(page, more)
    await more.press('Enter')
    await delivery('old.120').waitFor()
    await more.waitFor({ state: 'detached' })
    await focused(page, delivery('old.101'))

    await say('hello')
    await page.getByRole('row', { name: /message\.created Delivered/ }).waitFor()
    await focused(page, delivery('old.101'))
    await page.getByRole('group', { name: 'Filter deliveries' }).getByText('Failed').click()
    await page.getByText('No matching deliveries').waitFor()
  })
})
