import type { VirtualizerHandle } from 'virtua/svelte'
import { tick } from 'svelte'

const HELD_FRAMES = 4

export function rowIn(scroller: HTMLElement, key: string): HTMLElement | null {
  return scroller.querySelector<HTMLElement>(`[data-key="${key}"]`)
}

export async function frames(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise((painted) => requestAnimationFrame(painted))
}

/**
 * Called before rows are added or removed: the topmost row that remains keeps its position on the screen. In the frames
 * that follow, the list measures new rows and shifts once more.
 */
export async function keepScrollPosition(
  scroller: HTMLElement,
  list: Pick<VirtualizerHandle, 'scrollBy'>,
  staying: ReadonlySet<string>,
): Promise<void> {
  const anchor = topmost(scroller, staying)
  if (!anchor) return
  await tick()
  for (let left = HELD_FRAMES; left > 0; left -= 1) {
    const now = rowIn(scroller, anchor.key)?.getBoundingClientRect().top ?? anchor.top
    if (Math.abs(now - anchor.top) >= 1) list.scrollBy(now - anchor.top)
    await frames(1)
  }
}

function topmost(scroller: HTMLElement, staying: ReadonlySet<string>): { key: string; top: number } | undefined {
  const edge = scroller.getBoundingClientRect().top
  for (const row of scroller.querySelectorAll<HTMLElement>('[data-key]')) {
    const { top, bottom } = row.getBoundingClientRect()
    const key = row.dataset['key'] ?? ''
    if (bottom > edge && staying.has(key)) return { key, top }
  }
  return undefined
}
