import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { manage, SECTIONS, visitAdministration } from '../administration/administration-visit.ts'
import { describeInBrowser, type Visit } from '../browser.ts'
import { axeViolations } from '../axe-violations.ts'
import { DESKTOP, follow, PHONE } from '../portal-visit.ts'

describeInBrowser('administration has no axe violations', ({ open }) => {
  for (const viewport of [DESKTOP, PHONE]) {
    test(`at ${viewport.width} px`, async () => {
      const { administrator } = await portal()
      const { server, newPerson } = await channelFixture({ bots: 1 })
      const out = await newPerson()
      expectOk(await administrator.patch(`/administration/people/${out.id}`, { disabled: true }))
      const visit: Visit = { viewport, reducedMotion: 'reduce' }
      const page = await visitAdministration(open, administrator, server, '', visit)
      if (viewport === PHONE) await lookAt(page, 'Administration')
      for (const name of SECTIONS) {
        const search = name === 'People' ? `?search=${encodeURIComponent(out.name)}` : ''
        await follow(page, `/administration/${name.toLowerCase().replace(' ', '-')}${search}`)
        await lookAt(page, name)
        if (name === 'People') {
          const dialog = await manage(page, out)
          await dialog.getByRole('button', { name: 'Set password' }).click()
          await dialog.getByText('Choose a password.').waitFor()
          expect(await axeViolations(page), 'PersonDialog').toEqual([])
        }
        if (name === 'Applications') {
          await page.getByRole('button', { name: 'Change quotas of' }).first().click()
          await page.getByRole('dialog').getByRole('textbox', { name: 'Writes per minute' }).fill('0')
          await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
          await page.getByText('Enter a whole number').waitFor()
          expect(await axeViolations(page), 'QuotaDialog').toEqual([])
        }
      }
      const refused = await visitAdministration(open, await newPerson(), server, '/people', visit)
      await refused.getByRole('heading', { name: 'For administrators only' }).waitFor()
      expect(await axeViolations(refused), 'the refusal').toEqual([])
    })
  }
})

async function lookAt(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  expect(await axeViolations(page), name).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} fits`).toBe(true)
}
