import { randomBytes } from 'node:crypto'
import type { Category, Room } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Person } from '../server/test/person.ts'
import { expectOk } from '../server/test/channel-fixture.ts'
import type { Visit } from './browser.ts'

export const PHONE = { width: 390, height: 844 }
export const DESKTOP = { width: 1280, height: 800 }

export const signedOut = { locale: 'en-GB' } satisfies Visit

/** What everyone has and most tests do without, because it takes time: motion, and the copy of what was read. */
export const everyday = { reducedMotion: 'no-preference', serviceWorkers: 'allow' } satisfies Visit

/** What the browser logs when a client writes to a socket whose end it has not noticed yet. */
export const SENT_TOO_LATE = /WebSocket is already in CLOSING or CLOSED state/

/** What a page requests at the moment when its session ends is refused. */
export const SESSION_ENDED = /status of 401/

/**
 * What a page requests at the moment when its reader stops being a member is refused. A request that names only a room is
 * answered as if there were no such room.
 */
export const MEMBERSHIP_ENDED = /status of (403|422) .*\/portal\/v1\/(channels|rooms)\//

export function newName(): string {
  return `Person ${randomBytes(6).toString('hex')}`
}

export async function fillIn(page: Page, { name, password }: { name: string; password: string }): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
}

export async function signIn(page: Page, person: Person): Promise<void> {
  await fillIn(page, person)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** A channel with rooms in categories, all visible to its owner. */
export async function furnish({ owner, at }: { owner: Person; at: string }): Promise<void> {
  const work = expectOk(await owner.post<Category>(`${at}/categories`, { name: 'Work' }))
  const make = async (name: string, more: object): Promise<Room> =>
    expectOk(await owner.post<Room>(`${at}/rooms`, { name, categoryId: work.id, ...more }))
  await make('plans', { type: 'text', topic: 'What comes next' })
  await make('stand-up', { type: 'voice', userLimit: 10 })
  await make('demo', { type: 'stream' })
  await make('leads', { type: 'text', private: true, writeRestricted: true })
}

/** Navigates to another page of the portal like a link, without a reload. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate((href) => {
    const link = document.createElement('a')
    link.href = href
    // The router handles only links within the portal.
    document.querySelector('main')?.append(link)
    link.click()
    link.remove()
  }, path)
  await page.waitForURL((url) => url.pathname + url.search === path)
}

/** Waits until this element has the focus. */
export function focused(page: Page, control: Locator): Promise<void> {
  return control.and(page.locator(':focus')).waitFor()
}

/** Waits for the control and presses Tab until it has the focus. Fails if the keyboard can’t reach it. */
export async function tabTo(page: Page, control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await control.first().waitFor({ state: 'attached' })
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press(key)
    if ((await control.and(page.locator(':focus')).count()) > 0) return
  }
  throw new Error(`The keyboard does not reach ${String(control)}`)
}

/** Drags with the mouse and drops in the upper or lower half of the target. */
export async function dragTo(page: Page, from: Locator, to: Locator, half: 'upper' | 'lower' = 'upper'): Promise<void> {
  const { width, height } = (await to.boundingBox()) ?? { width: 0, height: 0 }
  const position = { x: width / 3, y: half === 'upper' ? 4 : height - 4 }
  await from.hover()
  await page.mouse.down()
  await to.hover({ position })
  // Browsers hit-test the drop target only on the second move.
  await to.hover({ position: { ...position, x: position.x + 4 } })
  await page.mouse.up()
}

/** Resolves when the page has received this on its socket. */
export function received(page: Page, ...words: string[]): Promise<void> {
  return new Promise((resolve) => {
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => {
        if (words.every((word) => payload.toString().includes(word))) resolve()
      })
    })
  })
}

export function switcherField(page: Page): Locator {
  return page.getByRole('combobox', { name: 'Jump to a room, channel or person' })
}

/** Shortcuts are loaded after what the page was opened for. */
export async function shortcutsLoaded(page: Page): Promise<void> {
  const field = switcherField(page)
  await expect
    .poll(async () => {
      await page.keyboard.press('Control+k')
      return field.isVisible()
    })
    .toBe(true)
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
}

/** The composer. */
export function newMessage(page: Page): Locator {
  return page.getByRole('textbox', { name: /^Message / })
}
