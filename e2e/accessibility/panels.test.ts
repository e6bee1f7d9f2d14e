import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { axeViolations } from '../axe-violations.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, newMessage, PHONE } from '../portal-visit.ts'

for (const viewport of [DESKTOP, PHONE]) {
  describeInBrowser(`no axe violations at ${viewport.width} px`, ({ open }) => {
    test('in members, profile cards, search, the switcher, shortcuts and suggestions', async () => {
      const { server, owner, people, bots, channel, room } = await channelFixture({ people: 1, bots: 1 })
      const [ada] = people
      expectOk(await bots[0].put('/commands', { commands: [{ name: '/help', description: 'Helps', usage: '<word>' }] }))
      expectOk(
        await ada.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: `A needle, <@${owner.id}>` }),
      )
      const visit = { ...signedIn(server.url, owner), viewport, reducedMotion: 'reduce' } as const
      const page = await open(`${server.url}/c/${channel.id}/${room.id}`, visit)
      const name = ada.name
      await newMessage(page).waitFor()

      if (viewport === PHONE) await page.getByRole('button', { name: 'Members' }).click()
      await page.getByRole('button', { name: `${name} offline` }).click()
      const card = page.getByRole('dialog', { name })
      await card.getByText('Joined').waitFor()
      expect(await axeViolations(page)).toEqual([])
      await card.getByRole('button', { name: 'Mute in chat', exact: true }).click()
      await card.getByRole('combobox').waitFor()
      expect(await axeViolations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await card.waitFor({ state: 'detached' })
      if (viewport === PHONE) await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('searchbox').fill('needle')
      await page.locator('mark').waitFor()
      expect(await axeViolations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('searchbox').waitFor({ state: 'detached' })

      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Jump to a room, channel or person' }).fill('workshop')
      await page.getByRole('option', { name: 'workshop' }).waitFor()
      expect(await axeViolations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('combobox', { name: 'Jump to a room, channel or person' }).waitFor({ state: 'detached' })
      await page.keyboard.press('Control+/')
      const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await keys.waitFor()
      expect(await axeViolations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await keys.waitFor({ state: 'detached' })

      await newMessage(page).fill('/')
      await page.getByRole('option', { name: '/help' }).waitFor()
      expect(await axeViolations(page)).toEqual([])
      await newMessage(page).fill('@pers')
      await page.getByRole('listbox', { name: 'Members' }).getByRole('option').first().waitFor()
      expect(await axeViolations(page)).toEqual([])
      await newMessage(page).fill('')

      if (viewport === PHONE) await page.getByRole('button', { name: 'Open menu' }).click()
      await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'workshop' }).focus()
      await page.keyboard.press('Shift+F10')
      await page.getByRole('menu', { name: 'workshop' }).waitFor()
      expect(await axeViolations(page)).toEqual([])
    })
  })
}
