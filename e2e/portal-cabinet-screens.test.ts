import { expect, test } from 'vitest'
import { Stream } from '../server/test/stream.ts'
import { done, portal, world } from '../server/test/world.ts'
import { aPicture } from './a-picture.ts'
import { describeInBrowser } from './browser.ts'
import { cabinet, fact, panel } from './cabinet-visit.ts'

await portal()

describeInBrowser('the cabinet of an application', ({ open }) => {
  test('follows its event stream: connected, displaced, gone, and what waits', async () => {
    const { page, server, bot, say } = await cabinet(open, '/stream')
    const stream = panel(page, 'Event stream')
    await stream.getByText('Never connected', { exact: true }).waitFor()

    const first = await Stream.of(server, bot)
    await stream.getByText('Connected', { exact: true }).waitFor()
    await fact(page, 'Connected since', /^(just now|\d+ (seconds|minutes?) ago)$/)
    await fact(page, 'Client', /js.* from 127\.0\.0\.1$/)
    await fact(page, 'Events waiting', '0')
    expect(await panel(page, 'Displaced connection').count()).toBe(0)

    const second = await Stream.of(server, bot)
    await first.disconnected
    await panel(page, 'Displaced connection').waitFor()
    await fact(page, 'Was displaced', /from 127\.0\.0\.1$/)
    await fact(page, 'By', /from 127\.0\.0\.1$/)

    second.client.disconnect()
    await stream.getByText('Not connected', { exact: true }).waitFor()
    for (const text of ['one', 'two']) await say(text)
    await fact(page, 'Events waiting', '2')
    second.client.connect()
    await stream.getByText('Connected', { exact: true }).waitFor()
    await fact(page, 'Events waiting', '0')
  })

  test('shows what is used of the quotas as it is used', async () => {
    const { page, bot, room } = await cabinet(open, '/bot', { quotas: 'usual' })
    const quota = panel(page, 'Quota')
    const limits = ['Requests', 'Writing'].map((name) => quota.getByRole('meter', { name }).getAttribute('max'))
    expect(await Promise.all(limits)).toEqual(['60', '20'])
    // What is used comes free after a minute: on a machine that took as long, once more.
    const used = async (name: string): Promise<number> => {
      await bot.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'counted' })
      return Number(await quota.getByRole('meter', { name }).getAttribute('value'))
    }
    await expect.poll(() => used('Requests'), { timeout: 240_000, interval: 4000 }).toBeGreaterThan(0)
    await expect.poll(() => used('Writing'), { timeout: 240_000, interval: 4000 }).toBeGreaterThan(0)
  })

  test('gives the bot a picture and takes it away again', async () => {
    const { page, bot } = await cabinet(open, '')
    const field = page.getByRole('group', { name: 'Picture of the bot' })
    await field.getByRole('button', { name: 'Upload a picture' }).waitFor()
    await field.getByLabel('Picture of the bot').setInputFiles(await aPicture())
    await field.getByRole('button', { name: 'Remove' }).waitFor()
    expect(await field.locator('img').getAttribute('src')).toContain(`/media/avatars/${bot.id}.webp`)
    await field.getByRole('button', { name: 'Remove' }).click()
    await field.getByRole('button', { name: 'Upload a picture' }).waitFor()
    await field.locator('img').waitFor({ state: 'detached' })
  })

  test('says where the bot stands and in which role', async () => {
    const elsewhere = await world()
    const { page, channel } = await cabinet(open, '/installations', {
      prepare: async ({ application }) =>
        done(await elsewhere.owner.put(`${elsewhere.at}/applications/${application.id}`, {})),
    })
    const where = panel(page, 'Where the bot stands').getByRole('listitem')
    await where.filter({ hasText: 'Role: Bot' }).filter({ hasText: 'You are not a member' }).waitFor()
    const own = where.filter({ hasText: 'Role: Bot' }).filter({ has: page.getByRole('link', { name: /^Open/ }) })
    await own.getByRole('link').click()
    await page.waitForURL((url) => url.pathname.startsWith(`/c/${channel.id}`))
  })

  test('lists the commands as the bot has declared them', async () => {
    const { page, bot } = await cabinet(open, '/commands')
    await page.getByText('The bot has declared no commands yet.').waitFor()
    await page.getByRole('region', { name: 'Declare a command' }).getByText('/api/v1/commands').waitFor()
    const deploy = { name: '/deploy', description: 'Deploy a build', usage: '<service>' }
    done(await bot.put('/commands', { commands: [deploy, { name: '/status', description: 'How it goes' }] }))
    await page.reload()
    const commands = page.getByRole('list', { name: 'Commands' }).getByRole('listitem')
    await commands.filter({ hasText: '/status' }).waitFor()
    expect(await commands.allInnerTexts()).toEqual([
      expect.stringMatching(/^\/deploy <service>\s+Deploy a build$/),
      expect.stringMatching(/^\/status\s+How it goes$/),
    ])
  })
})
