import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** All that axe judges by colour; nothing else on a page differs between light and dark. */
const BY_COLOUR = ['color-contrast', 'link-in-text-block']

/** What axe finds on a page as it stands, in the light and in the dark. Parts of it can be left out by a selector. */
export async function faultsOf(page: Page, { except }: { except?: string } = {}): Promise<string[]> {
  const axe = () => {
    // The other way opens a page for every look, for the sake of frames from elsewhere, which we have none of.
    const builder = new AxeBuilder({ page }).setLegacyMode()
    return except === undefined ? builder : builder.exclude(except)
  }
  await emulate(page, 'dark')
  const dark = await axe().withRules(BY_COLOUR).analyze()
  await emulate(page, 'light')
  const light = await axe().analyze()
  return [...faults('dark', dark.violations), ...faults('light', light.violations)]
}

/** Colours on their way from one to the other belong to neither. */
async function emulate(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    await Promise.allSettled(transitions.map(({ finished }) => finished))
  })
}

type Violations = Awaited<ReturnType<AxeBuilder['analyze']>>['violations']

function faults(scheme: string, violations: Violations): string[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${scheme}, ${id}: ${html}\n${failureSummary}`),
  )
}
