import { expect, test } from 'vitest'
import { channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { furnish } from '../portal-visit.ts'
import { openSettings } from '../settings/channel-settings-visit.ts'
import { unreachable } from '../unreachable.ts'

describeInBrowser('what is scrolled to with the keyboard', ({ open }) => {
  test('isn’t hidden by a bar, actions or names in a small window', async () => {
    const { server, owner, people, at, channel, newRole } = await channelFixture({ people: 1 })
    const [ada] = people
    await furnish({ owner, at })
    await newRole('Night watch', ['kick_member'])
    const visit = { viewport: { width: 390, height: 480 }, reducedMotion: 'reduce' } as const
    const page = await openSettings(open, { server, channel }, owner, 'roles', visit)
    const box = page.getByRole('checkbox', { name: 'Pin messages: Member' })
    await box.check()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
    expect(await unreachable(page)).toEqual([])
    await box.uncheck()

    await page.goto(`${server.url}/c/${channel.id}/settings/rooms`)
    await page.getByRole('button', { name: 'Edit leads' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).waitFor()
    expect(await unreachable(page)).toEqual([])

    await page.goto(`${server.url}/c/${channel.id}/settings/members`)
    await page.getByRole('button', { name: `Manage ${ada.name}` }).click()
    await page.getByRole('dialog', { name: ada.name }).waitFor()
    expect(await unreachable(page)).toEqual([])
  })
})
