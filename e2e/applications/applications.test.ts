import type { Application } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { WebhookReceiver } from '../../server/test/webhook-receiver.ts'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { openApplication } from './application-visit.ts'
import { axeViolations } from '../axe-violations.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, focused, follow, PHONE, tabTo } from '../portal-visit.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8', WEBHOOK_RETRY_PAUSES: '600' })

const sections = (page: Page) => page.getByRole('navigation', { name: 'Application sections' })

describeInBrowser('applications', ({ open }) => {
  test('can be created and receive a delivery with the keyboard alone', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const receiver = await WebhookReceiver.start()
    const page = await open(`${server.url}/apps`, { ...signedIn(server.url, owner), viewport: DESKTOP })

    await tabTo(page, page.getByRole('button', { name: 'Create an application' }))
    await page.keyboard.press('Enter')
    await focused(page, page.getByRole('textbox', { name: 'Name' }))
    await page.keyboard.type('Shipyard')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Shipyard' }).waitFor()

    await tabTo(page, sections(page).getByRole('link', { name: 'Bot and keys' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('checkbox', { name: 'events' }))
    await page.keyboard.press('Space')
    await tabTo(page, page.getByRole('button', { name: 'Issue a key' }))
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Your new key' })
    const key = await dialog.getByRole('textbox', { name: 'Key' }).inputValue()
    expect(key).toMatch(/^portico_bot_/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    const close = dialog.getByRole('button', { name: 'Close' })
    await expect.poll(() => close.isDisabled()).toBe(true)
    await tabTo(page, dialog.getByRole('checkbox', { name: 'I’ve saved it' }))
    await page.keyboard.press('Space')
    await tabTo(page, close)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })

    const me = await fetch(`${server.url}/api/v1/me`, { headers: { authorization: `Bot ${key}` } })
    const { application } = (await me.json()) as { application: Application }
    expectOk(await owner.put(`/channels/${channel.id}/applications/${application.id}`, {}))

    await tabTo(page, sections(page).getByRole('link', { name: 'Webhook' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('textbox', { name: 'URL' }))
    await page.keyboard.type(receiver.url)
    await page.keyboard.press('Enter')
    const secret = page.getByRole('dialog', { name: 'Your signing secret' })
    await tabTo(page, secret.getByRole('checkbox', { name: 'I’ve saved it' }))
    await page.keyboard.press('Space')
    await tabTo(page, secret.getByRole('button', { name: 'Close' }))
    await page.keyboard.press('Enter')

    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'hello' }))
    await receiver.first(1)
    await tabTo(page, sections(page).getByRole('link', { name: 'Deliveries' }))
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /message\.created Delivered/ }).waitFor()
    await tabTo(page, page.getByRole('link', { name: 'message.created' }))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: 'message.created' }).waitFor()
    await page.getByRole('region', { name: 'Body' }).getByText('"hello"').waitFor()
    await page.getByText('Attempt 1', { exact: true }).waitFor()
  })

  test('re-issue a key after the name is typed, and say what stops working', async () => {
    const { page, bot } = await openApplication(open, '/bot')
    await page.getByRole('checkbox', { name: 'moderation' }).uncheck()
    await page.getByRole('button', { name: 'Re-issue the key…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Re-issue the key?' })
    await dialog.getByText('Removed scopes: moderation.').waitFor()
    await dialog.getByRole('button', { name: 'Re-issue' }).click()
    await dialog.getByText('That isn’t the application’s name.').waitFor()
    expect(await bot.get('/me')).toMatchObject({ status: 200 })
    await dialog.getByRole('textbox').fill(bot.application.name)
    await dialog.getByRole('button', { name: 'Re-issue' }).click()
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor()
    expect(await bot.get('/me')).toMatchObject({ status: 401 })
  })

  test('can be renamed, and deleted after the name is typed', async () => {
    // What the page requests at the moment of the deletion is refused.
    const excuses = [/status of 422 .*\/applications\//]
    const { page, bot, owner } = await openApplication(open, '', { excuses })
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Dockyard')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Dockyard' }).waitFor()

    await page.getByRole('button', { name: 'Delete the application' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Dockyard?' })
    await dialog.getByRole('textbox').fill('Dockyard')
    await dialog.getByRole('button', { name: 'Delete the application' }).click()
    await page.getByRole('heading', { name: 'No applications yet' }).waitFor()
    expect(await owner.get(`/applications/${bot.application.id}`)).toMatchObject({ status: 422 })
  })

  test('connect sign-in, show each secret once and revoke it for everyone', async () => {
    const { page, bot } = await openApplication(open, '/oauth')
    await page.getByRole('textbox', { name: 'Redirect URI' }).fill('https://*.example/')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('Use an exact URI, without *.').waitFor()
    await page.getByRole('textbox', { name: 'Redirect URI' }).fill('https://fleet.example/back')
    await page.getByRole('button', { name: 'Connect' }).click()
    const dialog = page.getByRole('dialog', { name: 'For your site' })
    const issued = await dialog.getByRole('textbox', { name: 'client_secret' }).inputValue()
    expect(issued).toMatch(/^portico_client_/)
    await dialog.getByRole('checkbox').check()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page
      .getByRole('region', { name: 'Sign-in with openid-client' })
      .getByText('https://fleet.example/back')
      .waitFor()

    await page.getByRole('button', { name: 'Re-issue secret' }).click()
    const again = page.getByRole('dialog', { name: 'Re-issue the client secret?' })
    await again.getByRole('button', { name: 'Re-issue secret' }).click()
    const fresh = await dialog.getByRole('textbox', { name: 'client_secret' }).inputValue()
    expect(fresh).toMatch(/^portico_client_/)
    expect(fresh).not.toBe(issued)
    await dialog.getByRole('checkbox').check()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Revoke sign-in' }).click()
    const sure = page.getByRole('dialog', { name: 'Revoke sign-in for everyone?' })
    await sure.getByRole('textbox').fill(bot.application.name)
    await sure.getByRole('button', { name: 'Revoke sign-in' }).click()
    await page.getByRole('button', { name: 'Connect' }).waitFor()
  })

  test('explain why the bot is refused and what to do', async () => {
    const { page, owner, at, bot } = await openApplication(open, '/why')
    await page.getByRole('heading', { name: 'Allowed', exact: true }).waitFor()
    await page.getByText('The key has the scope messages:write — Send, edit and delete its own messages').waitFor()
    expectOk(await owner.put(`${at}/members/${bot.id}/chat-mute`, {}))
    await page.reload()
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor()
    await page.getByText('The bot is muted until a moderator unmutes it.').waitFor()
    await page.getByRole('combobox', { name: 'Action' }).selectOption({ label: 'Remove a member from the channel' })
    await page.getByText('None of the bot’s roles (Bot) has the permission “Remove members”.').waitFor()
  })

  test('can be installed from a link, in a chosen channel and role', async () => {
    const { server, newBot } = await channelFixture()
    const bot = await newBot({ scopes: ['messages:write', 'moderation'] })
    const { owner, channel, at } = await channelFixture()
    const page = await open(`${server.url}/install/${bot.application.id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
    })
    await page.getByRole('heading', { level: 1, name: bot.application.name }).waitFor()
    await page.getByText('Pin messages; delete messages of others; mute, move and remove members').waitFor()
    await expect.poll(() => page.getByRole('heading', { name: 'Commands' }).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Bot role' }).selectOption({ label: 'Moderator' })
    await page.getByRole('button', { name: 'Install' }).click()
    await page.waitForURL((url) => url.pathname.startsWith(`/c/${channel.id}`))
    expect(await owner.get(`${at}/applications`)).toMatchObject({
      body: { installations: [{ application: { id: bot.application.id }, role: { systemName: 'CHANNEL_MODERATOR' } }] },
    })
  })

  test('are private to their owner, and confirm copying', async () => {
    const { page, bot, server, newPerson } = await openApplication(open, '/installations')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy install link' }).click()
    await page.getByText('Copied install link').waitFor()
    await focused(page, page.getByRole('button', { name: 'Copy install link' }))

    const stranger = await open(`${server.url}/apps/${bot.application.id}`, {
      ...signedIn(server.url, await newPerson()),
      provokes: [/status of 422/],
    })
    await stranger.getByRole('heading', { level: 2, name: 'Application not found' }).waitFor()
  })
})

for (const viewport of [DESKTOP, PHONE]) {
  describeInBrowser(`no axe violations at ${viewport.width} px`, ({ open }) => {
    test('on the application pages', async () => {
      const { server, owner, bots, room, channel } = await channelFixture({ bots: 1 })
      const [bot] = bots
      const receiver = await WebhookReceiver.start()
      receiver.replies = [500]
      const at = `/applications/${bot.application.id}`
      expectOk(await bot.put('/webhook', { url: receiver.url }))
      expectOk(await bot.put('/commands', { commands: [{ name: '/deploy', description: 'Deploy a build' }] }))
      expectOk(await owner.put(`${at}/oauth`, { redirectUri: 'https://fleet.example/back' }))
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'hello' }))
      await receiver.first(1)

      const page = await open(`${server.url}/apps`, {
        ...signedIn(server.url, owner),
        viewport,
        reducedMotion: 'reduce',
      })
      await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor()
      for (const [path, landmark] of [
        ['/apps', page.getByRole('link', { name: bot.application.name })],
        [`/apps/${bot.application.id}`, page.getByRole('heading', { name: 'Quick start' })],
        [`/apps/${bot.application.id}/bot`, page.getByRole('heading', { name: 'Quota' })],
        [`/apps/${bot.application.id}/installations`, page.getByRole('heading', { name: 'Install link' })],
        [`/apps/${bot.application.id}/commands`, page.getByText('/deploy', { exact: true })],
        [`/apps/${bot.application.id}/stream`, page.getByText('Never connected')],
        [`/apps/${bot.application.id}/webhook`, page.getByText('Failing')],
        [`/apps/${bot.application.id}/deliveries`, page.getByRole('link', { name: 'message.created' })],
        [`/apps/${bot.application.id}/oauth`, page.getByText('Connected')],
        [`/apps/${bot.application.id}/why`, page.getByRole('heading', { name: 'Allowed', exact: true })],
        [`/install/${bot.application.id}`, page.getByRole('heading', { name: 'Commands' })],
      ] as const) {
        await follow(page, path)
        await landmark.first().waitFor()
        expect(await axeViolations(page), path).toEqual([])
      }
      await follow(page, `/apps/${bot.application.id}/deliveries`)
      await page.getByRole('link', { name: 'message.created' }).click()
      await page.getByText('Your server responded with an error.').waitFor()
      expect(await axeViolations(page), 'a delivery').toEqual([])
    })
  })
}
