import axe from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** The axe rules about color: nothing else on a page differs between light and dark. */
const BY_COLOR = ['color-contrast', 'link-in-text-block']

/** The axe violations of a page in the light and the dark theme. A selector can exclude elements. */
export async function axeViolations(page: Page, { except }: { except?: string } = {}): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('axe is given the page alone: what its frames hold would go unseen')
  // Half a megabyte that each document loads once.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  await emulate(page, 'dark')
  const dark = await look(page, { except, rules: BY_COLOR })
  await emulate(page, 'light')
  const light = await look(page, { except })
  return [...dark.map((violation) => `dark, ${violation}`), ...light.map((violation) => `light, ${violation}`)]
}

/** Waits for color transitions to end: a color in transition belongs to neither theme. */
async function emulate(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    await Promise.allSettled(transitions.map(({ finished }) => finished))
  })
}

interface Look {
  readonly except: string | undefined
  /** Default: all of them. */
  readonly rules?: string[]
}

function look(page: Page, wanted: Look): Promise<string[]> {
  return page.evaluate(async ({ except, rules }: Look) => {
    const place = except === undefined ? document : { exclude: [except] }
    // Passed checks are left out: describing them takes longer than finding them.
    const options = { resultTypes: ['violations' as const], ...(rules && { runOnly: rules }) }
    const { violations } = await window.axe.run(place, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    )
  }, wanted)
}
