import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { done, portal, world } from '../server/test/world.ts'
import { manage, SECTIONS, visitAdministration } from './administration-visit.ts'
import { describeInBrowser, type Visit } from './browser.ts'
import { faultsOf } from './faults-of.ts'
import { DESKTOP, follow, PHONE } from './portal-visit.ts'

describeInBrowser('in administration axe finds nothing', ({ open }) => {
  for (const viewport of [DESKTOP, PHONE]) {
    test(`${viewport.width} wide`, async () => {
      const { administrator } = await portal()
      const { server, newcomer } = await world({ bots: 1 })
      const out = await newcomer()
      done(await administrator.patch(`/administration/people/${out.id}`, { disabled: true }))
      const visit: Visit = { viewport, reducedMotion: 'reduce' }
      const page = await visitAdministration(open, administrator, server, '', visit)
      if (viewport === PHONE) await lookAt(page, 'Administration')
      for (const name of SECTIONS) {
        const search = name === 'People' ? `?search=${encodeURIComponent(out.name)}` : ''
        await follow(page, `/administration/${name.toLowerCase().replace(' ', '-')}${search}`)
        await lookAt(page, name)
        if (name === 'People') {
          const dialog = await manage(page, out)
          await dialog.getByRole('button', { name: 'Set the password' }).click()
          await dialog.getByText('Choose a password.').waitFor()
          expect(await faultsOf(page), 'PersonDialog').toEqual([])
        }
        if (name === 'Applications') {
          await page.getByRole('button', { name: 'Quotas of' }).first().click()
          await page.getByRole('dialog').getByRole('textbox', { name: 'Writes a minute' }).fill('0')
          await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
          await page.getByText('A whole number').waitFor()
          expect(await faultsOf(page), 'QuotaDialog').toEqual([])
        }
      }
      const refused = await visitAdministration(open, await newcomer(), server, '/people', visit)
      await refused.getByRole('heading', { name: 'For administrators only' }).waitFor()
      expect(await faultsOf(refused), 'the refusal').toEqual([])
    })
  }
})

async function lookAt(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  expect(await faultsOf(page), name).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} fits`).toBe(true)
}
