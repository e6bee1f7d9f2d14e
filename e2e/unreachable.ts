import type { Page } from 'playwright-core'

/** The names of buttons, links and fields of a page that something else covers when they are scrolled to, or that don’t fit. */
export function unreachable(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const isCovered = (element: HTMLElement): boolean => {
      const { left, top, width, height } = element.getBoundingClientRect()
      const hit = document.elementFromPoint(left + width / 2, top + height / 2)
      return !hit || !(element.contains(hit) || hit.closest('label')?.control === element)
    }
    const isShown = (element: HTMLElement): boolean =>
      element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1
    const modal = [...document.querySelectorAll('dialog:modal')].at(-1)
    const controls = 'button, a[href]:not([href^="#"]), input, textarea, select'
    const found: string[] = []
    for (const element of (modal ?? document).querySelectorAll<HTMLElement>(controls)) {
      if (element.closest('[inert]') || !isShown(element) || !isCovered(element)) continue
      element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      // What is sticky has moved by the next frame.
      await new Promise((resolve) => requestAnimationFrame(resolve))
      await new Promise((resolve) => requestAnimationFrame(resolve))
      if (isCovered(element)) found.push(element.ariaLabel ?? (element.innerText || element.outerHTML))
    }
    return found
  })
}
