import axe from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** All that axe judges by colour; nothing else on a page differs between light and dark. */
const BY_COLOUR = ['color-contrast', 'link-in-text-block']

/** What axe finds on a page as it stands, in the light and in the dark. Parts of it can be left out by a selector. */
export async function axeViolations(page: Page, { except }: { except?: string } = {}): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('axe is given the page alone: what its frames hold would go unseen')
  // Half a megabyte, which every document needs once.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  await emulate(page, 'dark')
  const dark = await look(page, { except, rules: BY_COLOUR })
  await emulate(page, 'light')
  const light = await look(page, { except })
  return [...dark.map((fault) => `dark, ${fault}`), ...light.map((fault) => `light, ${fault}`)]
}

/** Colours on their way from one to the other belong to neither. */
async function emulate(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    await Promise.allSettled(transitions.map(({ finished }) => finished))
  })
}

interface Look {
  readonly except: string | undefined
  /** All of them unless told. */
  readonly rules?: string[]
}

function look(page: Page, wanted: Look): Promise<string[]> {
  return page.evaluate(async ({ except, rules }: Look) => {
    const place = except === undefined ? document : { exclude: [except] }
    // What it finds in order is not wanted, and to describe it takes longer than to find it.
    const options = { resultTypes: ['violations' as const], ...(rules && { runOnly: rules }) }
    const { violations } = await window.axe.run(place, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
    )
  }, wanted)
}
