import { expect, test } from 'vitest'
import { Stream } from '../../server/test/stream.ts'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { samplePicture } from '../chat/sample-picture.ts'
import { describeInBrowser, PLAIN_HOST } from '../browser.ts'
import { openApplication, fact, panel } from './application-visit.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { loaded } from '../chat/files-visit.ts'
import { DESKTOP } from '../portal-visit.ts'

await portal()

describeInBrowser('an application’s pages', ({ open }) => {
  test('show the event stream live: connected, replaced, offline and pending events', async () => {
    const { page, server, bot, say } = await openApplication(open, '/stream')
    const stream = panel(page, 'Event stream')
    await stream.getByText('Never connected', { exact: true }).waitFor()
    const more = stream.getByRole('link', { name: 'How to connect, and the list of events' })
    await expect.poll(() => more.getAttribute('href')).toBe('/docs#websocket')

    const first = await Stream.of(server, bot)
    await stream.getByText('Connected', { exact: true }).waitFor()
    await fact(page, 'Connected since', /^(just now|\d+ (seconds|minutes?) ago)$/)
    await fact(page, 'Client', /js.* from 127\.0\.0\.1$/)
    await fact(page, 'Pending events', '0')
    await expect.poll(() => panel(page, 'Replaced connection').count()).toBe(0)

    const second = await Stream.of(server, bot)
    await first.disconnected
    await panel(page, 'Replaced connection').waitFor()
    await fact(page, 'Was replaced', /from 127\.0\.0\.1$/)
    await fact(page, 'Replaced by', /from 127\.0\.0\.1$/)

    second.client.disconnect()
    await stream.getByText('Not connected', { exact: true }).waitFor()
    for (const text of ['one', 'two']) await say(text)
    await fact(page, 'Pending events', '2')
    second.client.connect()
    await stream.getByText('Connected', { exact: true }).waitFor()
    await fact(page, 'Pending events', '0')
  })

  test('show quota usage live', async () => {
    const { page, bot, room } = await openApplication(open, '/bot', { quotas: 'usual' })
    const quota = panel(page, 'Quota')
    const limits = ['Requests', 'Writes'].map((name) => quota.getByRole('meter', { name }).getAttribute('max'))
    expect(await Promise.all(limits)).toEqual(['60', '20'])
    // Usage expires after a minute, so a slow machine tries again.
    const used = async (name: string): Promise<number> => {
      await bot.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'counted' })
      return Number(await quota.getByRole('meter', { name }).getAttribute('value'))
    }
    await expect.poll(() => used('Requests'), { timeout: 240_000, interval: 4000 }).toBeGreaterThan(0)
    await expect.poll(() => used('Writes'), { timeout: 240_000, interval: 4000 }).toBeGreaterThan(0)
  })

  test('set and remove the bot’s picture', async () => {
    const { page, bot } = await openApplication(open, '')
    const field = page.getByRole('group', { name: 'Bot picture' })
    await field.getByRole('button', { name: 'Upload a picture' }).waitFor()
    await field.getByLabel('Bot picture').setInputFiles(await samplePicture())
    await field.getByRole('button', { name: 'Remove' }).waitFor()
    await expect.poll(() => field.locator('img').getAttribute('src')).toContain(`/media/avatars/${bot.id}.webp`)
    // A picture that is still being requested would be missing.
    await loaded(field.locator('img'), 1)
    await field.getByRole('button', { name: 'Remove' }).click()
    await field.getByRole('button', { name: 'Upload a picture' }).waitFor()
    await field.locator('img').waitFor({ state: 'detached' })
  })

  test('update the list when another window changes an application', async () => {
    const { page, server, owner, bot, own, at } = await openApplication(open, '')
    const list = await open(`${server.url}/apps`, signedIn(server.url, owner))
    const tile = list.getByRole('main').getByRole('listitem')
    await tile.getByText('In 1 channel').waitFor()
    const name = `${bot.application.name} the Second`
    expectOk(await owner.patch(own, { name }))
    await tile.getByText(name).waitFor()
    expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))
    await tile.getByText('Not installed in any channel yet').waitFor()
    expectOk(await owner.post('/applications', { name: 'Newcomer' }))
    const newcomer = tile.filter({ hasText: 'Newcomer' })
    await newcomer.getByText('No key yet').waitFor()

    const field = page.getByRole('group', { name: 'Bot picture' })
    await field.getByLabel('Bot picture').setInputFiles(await samplePicture())
    await tile.locator(`img[src*="/media/avatars/${bot.id}.webp"]`).waitFor()
  })

  test('remove the application when another window deletes it', async () => {
    const { server, owner, bots } = await channelFixture({ bots: 1 })
    const { id, name } = bots[0].application
    const list = await open(`${server.url}/apps`, signedIn(server.url, owner))
    await list.getByRole('main').getByRole('listitem').getByText(name).waitFor()
    // Requests that the page sends at that very moment are refused.
    const page = await open(`${server.url}/apps/${id}`, { ...signedIn(server.url, owner), excuses: [/status of 422/] })
    await page.getByRole('heading', { level: 1, name }).waitFor()

    expectOk(await owner.delete(`/applications/${id}`, { name }))
    await list.getByRole('heading', { name: 'No applications yet' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Application not found' }).waitFor()
  })

  test('show the channels and roles of the bot live', async () => {
    const elsewhere = await channelFixture()
    const { page, channel, bot, give, owner, at } = await openApplication(open, '/installations', {
      prepare: async ({ application }) =>
        expectOk(await elsewhere.owner.put(`${elsewhere.at}/applications/${application.id}`, {})),
    })
    const where = panel(page, 'Installed in').getByRole('listitem')
    await where.filter({ hasText: 'Role: Bot' }).filter({ hasText: 'You’re not a member' }).waitFor()
    const own = where.filter({ hasText: 'Role: Bot' }).filter({ has: page.getByRole('link', { name: /^Open/ }) })
    await own.waitFor()
    await give(bot, 'CHANNEL_MODERATOR')
    await where.filter({ hasText: 'Role: Moderator' }).waitFor()
    const { id } = bot.application
    expectOk(await elsewhere.owner.delete(`${elsewhere.at}/applications/${id}`))
    await where.filter({ hasText: 'You’re not a member' }).waitFor({ state: 'detached' })
    expectOk(await owner.delete(`${at}/applications/${id}`))
    await page.getByText('Not installed in any channel yet.').waitFor()
    expectOk(await owner.put(`${at}/applications/${id}`, {}))
    await own.getByRole('link').click()
    await page.waitForURL((url) => url.pathname.startsWith(`/c/${channel.id}`))
  })

  test('list the declared commands', async () => {
    const { page, bot } = await openApplication(open, '/commands')
    await page.getByText('The bot hasn’t declared any commands yet.').waitFor()
    await page.getByRole('region', { name: 'Declare a command' }).getByText('/api/v1/commands').waitFor()
    const deploy = { name: '/deploy', description: 'Deploy a build', usage: '<service>' }
    expectOk(await bot.put('/commands', { commands: [deploy, { name: '/status', description: 'How it goes' }] }))
    const commands = page.getByRole('list', { name: 'Commands' }).getByRole('listitem')
    await commands.filter({ hasText: '/status' }).waitFor()
    await expect
      .poll(() => commands.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^\/deploy <service>\s+Deploy a build$/),
        expect.stringMatching(/^\/status\s+How it goes$/),
      ])
    expectOk(await bot.put('/commands', { commands: [] }))
    await page.getByText('The bot hasn’t declared any commands yet.').waitFor()
  })

  test('copy over plain http, also from a dialog', async () => {
    const { page, bot } = await openApplication(open, '/bot', { host: PLAIN_HOST })
    expect(await page.evaluate(() => isSecureContext)).toBe(false)
    await page.getByRole('button', { name: 'Re-issue the key…' }).click()
    const sure = page.getByRole('dialog', { name: 'Re-issue the key?' })
    await sure.getByRole('textbox').fill(bot.application.name)
    await sure.getByRole('button', { name: 'Re-issue' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your new key' })
    const key = await dialog.getByRole('textbox', { name: 'Key' }).inputValue()
    await dialog.getByRole('button', { name: /^Copy/ }).click()
    await page.getByText(/^Copied/).waitFor()
    await dialog.getByRole('checkbox', { name: 'I’ve saved it' }).check()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'Overview' }).click()
    const field = page.getByRole('textbox', { name: 'Name' })
    await field.fill('')
    await field.press('Control+v')
    await expect.poll(() => field.inputValue()).toBe(key)
  })

  test('explain in Russian why the bot is refused', async () => {
    const { page, owner, at, bot } = await openApplication(open, '/why')
    await page.getByRole('heading', { name: 'Allowed', exact: true }).waitFor()
    expectOk(await owner.patch('/account', { locale: 'ru' }))
    expectOk(await owner.put(`${at}/members/${bot.id}/chat-mute`, {}))
    await page.reload()
    await page.getByRole('heading', { name: 'Запрещено' }).waitFor()
    await page.getByText('У ключа есть разрешение messages:write — Отправлять, изменять и удалять свои').waitFor()
    await page.getByText('Боту запрещено писать или говорить, пока модератор не снимет запрет.').waitFor()
    await page.getByRole('combobox', { name: 'Действие' }).selectOption({ label: 'Исключать участника из канала' })
    await page.getByText('Ни одна из ролей бота (Бот) не даёт права «Исключать участников».').waitFor()
  })

  test('name the address of the SDK with its version', async () => {
    const { page, server } = await openApplication(open, '')
    await page.getByText('TypeScript', { exact: true }).click()
    const { url } = await fetch(`${server.url}/docs/portico-sdk.tgz`)
    expect(url).toMatch(/\/docs\/portico-sdk-\d.*\.tgz$/)
    await page.getByText(`npm install ${url},`).waitFor()
  })

  test('explain why a bot can’t delete messages of others in a room', async () => {
    const { page, owner, at, room, bot, give, role } = await openApplication(open, '/why')
    await give(bot, 'CHANNEL_MODERATOR')
    const { id } = await role('CHANNEL_MODERATOR')
    const denied = { allow: [], deny: ['delete_text_msg_any'] }
    expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${id}`, denied))
    await page.getByRole('combobox', { name: 'Action' }).selectOption({ label: 'Delete messages of others' })
    await page.getByRole('combobox', { name: 'Room' }).selectOption({ label: 'workshop — text room' })
    await page.getByText('The role lacks the right delete_text_msg_any.').waitFor()
  })
})

describeInBrowser('“Why is it refused?”', ({ open }) => {
  test('explains why people don’t see a command, and why the bot isn’t asked for suggestions', async () => {
    const { page, server, owner, at, bot } = await openApplication(open, '/why')
    const action = page.getByRole('combobox', { name: 'Action' })
    await action.selectOption({ label: 'Suggest values for options' })
    await page.getByRole('heading', { name: 'Is the bot asked?' }).waitFor()
    await page.getByText('No program is connected to the event stream.').waitFor()
    const options = [{ name: 'service', type: 'string', suggestions: true }]
    expectOk(await bot.put('/commands', { commands: [{ name: '/deploy', description: 'Deploys', options }] }))
    const token = async () => expectOk(await bot.get<{ token: string }>('/events/token?kinds=message.created')).token
    await Stream.with(server, token)
    await page.reload()
    await action.selectOption({ label: 'Suggest values for options' })
    await page.getByText('Let the program name option.requested').waitFor()
    expect(await axeViolations(page)).toEqual([])
    expectOk(await owner.put(`${at}/members/${bot.id}/chat-mute`, {}))
    await action.selectOption({ label: 'Declare its commands' })
    await page.getByRole('heading', { name: 'Do people see the commands in this room?' }).waitFor()
    await page.getByText('The bot is muted until a moderator unmutes it.').waitFor()
  })
})

describeInBrowser('the install page', ({ open }) => {
  test('preselects the bot role, or the current role if the bot is installed', async () => {
    const { server, newBot } = await channelFixture()
    const bot = await newBot()
    const { owner, at, channel, role } = await channelFixture()
    const path = `${server.url}/install/${bot.application.id}`
    const page = await open(path, { ...signedIn(server.url, owner), viewport: DESKTOP })
    const chosen = page.getByRole('combobox', { name: 'Bot role' }).locator('option:checked')
    await page.getByText('The bot can do what both its key and this role allow.').waitFor()
    await expect.poll(() => chosen.innerText()).toBe('Bot')
    await page.getByRole('button', { name: 'Install' }).click()
    await page.waitForURL((url) => url.pathname.startsWith(`/c/${channel.id}`))
    const installations = async () => (await owner.get(`${at}/applications`)).body
    expect(await installations()).toMatchObject({ installations: [{ role: { systemName: 'CHANNEL_BOT' } }] })

    const { id: roleId } = await role('CHANNEL_MODERATOR')
    expectOk(await owner.put(`${at}/applications/${bot.application.id}`, { roleId }))
    await page.goto(path)
    await page.getByText(`${bot.application.name} is already installed, with the role Moderator.`).waitFor()
    await expect.poll(() => chosen.innerText()).toBe('Moderator')
    await page.getByRole('button', { name: 'Change role' }).waitFor()
  })
})
