import type { Locator, Page } from 'playwright-core'
import type { Person } from '../../server/test/person.ts'
import { portal } from '../../server/test/channel-fixture.ts'
import type { Visit, Visitor } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'

/** The sections, as their links are named. */
export const SECTIONS = ['People', 'Channels', 'Applications', 'Portal', 'Audit log', 'Health'] as const

export async function visitAdministration(
  open: Visitor['open'],
  person: Person,
  { url }: { readonly url: string },
  path = '',
  visit: Visit = {},
): Promise<Page> {
  return open(`${url}/administration${path}`, { ...signedIn(url, person), ...visit })
}

/** The people page, filtered to one person. */
export async function lookFor(open: Visitor['open'], person: Person, visit: Visit = {}): Promise<Page> {
  const { server, administrator } = await portal()
  const path = `/people?search=${encodeURIComponent(person.name)}`
  const page = await visitAdministration(open, administrator, server, path, visit)
  await page.getByRole('button', { name: `Manage ${person.name}` }).waitFor()
  return page
}

export async function manage(page: Page, person: Person): Promise<Locator> {
  await page.getByRole('button', { name: `Manage ${person.name}` }).click()
  return page.getByRole('dialog', { name: person.name })
}
