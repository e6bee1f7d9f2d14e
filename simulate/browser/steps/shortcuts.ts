import { join } from 'node:path'
import type { Visitor } from '../visitor.ts'
import type { Step } from './step.ts'

export interface Shortcut {
  readonly name: string
  readonly keys: string
}

/** As the portal’s own list describes it. */
interface Combination {
  readonly key: string
  readonly code?: string
  readonly mod?: true
  readonly alt?: true
  readonly shift?: true
}
type Table = Readonly<Record<string, Readonly<Record<string, readonly Combination[]>>>>

/** Every shortcut that the portal’s own list has, as it is pressed. */
export async function readShortcuts(checkout: string): Promise<readonly Shortcut[]> {
  const path = join(checkout, 'portal/src/shortcuts/shortcuts.ts')
  const { SHORTCUTS } = (await import(path)) as { SHORTCUTS: Table }
  return Object.entries(SHORTCUTS).flatMap(([scope, actions]) =>
    Object.entries(actions).flatMap(([action, combinations]) =>
      combinations.map((combination) => ({ name: `${scope}: ${action}`, keys: keysOf(combination) })),
    ),
  )
}

function keysOf({ key, code, mod, alt, shift }: Combination): string {
  const parts = [mod && 'Control', alt && 'Alt', shift && 'Shift', code ?? (key === '+' ? 'NumpadAdd' : key)]
  return parts.filter((part): part is string => typeof part === 'string').join('+')
}

/** The states in which every shortcut is pressed. */
const STATES: Readonly<Record<string, (visitor: Visitor) => Promise<void>>> = {
  'as it is': async () => undefined,
  'with nothing focused': async ({ page }) => {
    await page.evaluate('document.activeElement?.blur()')
  },
  'in the message field': (visitor) => focus(visitor, '[data-landmark="composer"] textarea'),
  'on a message': (visitor) => focus(visitor, 'article[data-key]'),
  'on a channel': (visitor) => focus(visitor, 'nav a[href^="/c/"]'),
  'in an edit': async (visitor) => {
    const field = visitor.page.locator('[data-landmark="composer"] textarea')
    if ((await field.count()) > 0 && (await field.inputValue()) === '') {
      await field.focus()
      await visitor.page.keyboard.press('ArrowUp')
      await visitor.page.waitForTimeout(200)
    }
    await focus(visitor, 'article[data-key] textarea')
  },
  'in the search': async (visitor) => {
    await visitor.page.keyboard.press('Control+Shift+KeyF')
    await visitor.page.waitForTimeout(200)
    await focus(visitor, '[type="search"]')
  },
  'in the switcher': async ({ page }) => {
    await page.keyboard.press('Control+KeyK')
    await page.waitForTimeout(200)
  },
  'in the list of shortcuts': async ({ page }) => {
    await page.keyboard.press('Control+Slash')
    await page.waitForTimeout(200)
  },
}

async function focus({ page }: Visitor, selector: string): Promise<void> {
  const last = page.locator(selector).last()
  if ((await last.count()) > 0 && (await last.isVisible())) await last.focus()
}

const stateNames = Object.keys(STATES)

/** All pairs of a shortcut and a state, so that a report can say which were never pressed. */
export function shortcutNames(shortcuts: readonly Shortcut[]): string[] {
  return shortcuts.flatMap(({ name }) => stateNames.map((state) => `shortcut ${name} ${state}`))
}

export const pressShortcut = (shortcuts: readonly Shortcut[]): Step => ({
  name: 'shortcut',
  weight: 18,
  run: async (visitor) => {
    const { random, page, usage, typed } = visitor
    const [state, enter] = random.pick(Object.entries(STATES)) ?? []
    if (state === undefined || !enter) return 'nothing'
    const shortcut = usage.pick(random, shortcuts, ({ name }) => `shortcut ${name} ${state}`)
    if (!shortcut) return 'nothing'
    await enter(visitor)
    usage.use(`shortcut ${shortcut.name} ${state}`)
    const times = random.chance(0.15) ? 2 + random.integer(5) : 1
    if (shortcut.name.endsWith('closeOrCatchUp') || shortcut.name.endsWith('readChannel')) typed.settleAll('edit')
    // Deletes a character of the text in a field.
    if (shortcut.keys === 'Delete') await page.keyboard.press('Control+End')
    for (let count = 0; count < times; count += 1) await page.keyboard.press(shortcut.keys)
    return `${shortcut.name} (${shortcut.keys}${times > 1 ? ` × ${times}` : ''}) ${state}`
  },
})
