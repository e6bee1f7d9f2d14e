import type { Page } from 'playwright-core'

/** The names of buttons, links and fields of a page that something else covers, or that don’t fit. */
export function unreachable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const covered = (element: HTMLElement): boolean => {
      element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      const { left, top, width, height } = element.getBoundingClientRect()
      const hit = document.elementFromPoint(left + width / 2, top + height / 2)
      return !hit || !(element.contains(hit) || hit.closest('label')?.control === element)
    }
    const isShown = (element: HTMLElement): boolean =>
      element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1
    return [...document.querySelectorAll<HTMLElement>('button, a[href]:not([href^="#"]), input, textarea, select')]
      .filter((element) => isShown(element) && covered(element))
      .map((element) => element.ariaLabel ?? (element.innerText || element.outerHTML))
  })
}
