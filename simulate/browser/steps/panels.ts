import { markOf } from '../found-portal.ts'
import type { Step } from './step.ts'

const WORDS = ['fog', 'tide', 'штиль', 'parcel', '"the key"', 'harbor or ropes', '-tea list', 'nothing like that']

export const search: Step = {
  name: 'search',
  weight: 4,
  run: async ({ page, random, isPhone, typed }) => {
    await page.keyboard.press('Control+Shift+KeyF')
    const field = page.locator('[type="search"]').first()
    await field.waitFor({ state: 'visible' })
    await field.fill(random.pick([...WORDS, typed.unique()]) ?? 'fog')
    if (random.chance(0.5)) await page.keyboard.press('Enter')
    await page.waitForTimeout(random.between(200, 1200))
    const hits = page.locator('[data-landmark="aside"] li a, [data-landmark="aside"] li button')
    const count = await hits.count()
    if (count === 0 || random.chance(0.3)) return `${count} hits`
    const hit = hits.nth(random.integer(count))
    await (isPhone ? hit.tap() : hit.click())
    return 'went to a hit'
  },
}

export const useSwitcher: Step = {
  name: 'use the switcher',
  weight: 4,
  run: async ({ page, random }, { portal }) => {
    await page.keyboard.press('Control+KeyK')
    const field = page.locator('dialog[open] input[role="combobox"]')
    await field.waitFor({ state: 'visible' })
    const names = [...portal.rooms, ...portal.channels, ...portal.others].map(({ name }) => name)
    const typed = (random.pick(names) ?? '').slice(0, 2 + random.integer(6))
    await page.keyboard.type(typed)
    await page.waitForTimeout(random.between(0, 500))
    for (const key of random.some(['ArrowDown', 'ArrowDown', 'ArrowUp'], 0.5)) await page.keyboard.press(key)
    const end = random.weighted({ Enter: 4, Escape: 2, Tab: 1 })
    await page.keyboard.press(end)
    return `${typed}, ${end}`
  },
}

/** What was hidden from someone must not be found either. */
export const searchHidden: Step = {
  name: 'search for what is hidden',
  weight: 1,
  run: async (visitor, { portal }) => {
    const { api, random } = visitor
    const room = random.pick(portal.rooms.filter((one) => one.private))
    if (!room) return 'nothing is hidden'
    const { status } = await api.call('GET', `/rooms/${room.id}/permissions`)
    if (status < 300) return 'it isn’t hidden'
    const path = `/channels/${room.channelId}/search?q=${markOf(room.id)}x1`
    const answer = await api.call<{ hits: unknown[] }>('GET', path)
    if (answer.status < 300 && answer.body.hits.length > 0) visitor.violated('private', `the search finds ${room.name}`)
    return room.name
  },
}
