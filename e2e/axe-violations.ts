import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** The minified axe: `axe.source` has 1.4 megabytes, and takes a page a third longer to load. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The axe rules about color: nothing else on a page differs between light and dark. */
const BY_COLOR = ['color-contrast', 'link-in-text-block']

/** The axe violations of a page in the light and the dark theme, or in the light one alone. */
export async function axeViolations(page: Page, { lightOnly = false } = {}): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('axe is given the page alone: what its frames hold would go unseen')
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  const found: string[] = []
  if (!lightOnly) {
    await emulate(page, 'dark')
    found.push(...(await look(page, BY_COLOR)).map((violation) => `dark, ${violation}`))
  }
  await emulate(page, 'light')
  found.push(...(await look(page)).map((violation) => `light, ${violation}`))
  return found
}

/** Waits for color transitions to end: a color in transition belongs to neither theme. */
async function emulate(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    await Promise.allSettled(transitions.map(({ finished }) => finished))
  })
}

/** Applies these rules; without them, all. */
function look(page: Page, only?: string[]): Promise<string[]> {
  return page.evaluate(async (rules) => {
    // Passed checks are left out: describing them takes longer than finding them.
    const options = { resultTypes: ['violations' as const], ...(rules && { runOnly: rules }) }
    const { violations } = await window.axe.run(document, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    )
  }, only)
}
