import { pressed } from '#shortcuts/shortcuts.ts'
import type { ActionKey } from './act-by-key.ts'
import { actLater, isActionKey } from './action-keys.ts'
import type { ConversationContext } from './context.ts'
import type { RowFocus } from './row-focus.svelte.ts'

interface Ways {
  readonly focus: RowFocus
  toNewest(): Promise<void>
  page(way: 1 | -1): void
}

/** Keyboard navigation in the list of messages, and shortcuts on the focused message. */
export function pressInList(event: KeyboardEvent, place: ConversationContext, { focus, toNewest, page }: Ways): void {
  const { target } = event
  if (!(target instanceof HTMLElement)) return
  const action = pressed('messages', event)
  const onRow = target.dataset['key'] !== undefined
  if (event.key === 'Escape' && !onRow && focus.key !== undefined) focus.backToRow()
  else if (action === 'oldest') void focus.moveTo(0)
  else if (action === 'newest') void toNewest()
  else if (action === 'pageUp' || action === 'pageDown') page(action === 'pageUp' ? -1 : 1)
  else if (!onRow) return
  else if (action === 'previousMessage') void focus.moveTo(focus.index - 1)
  else if (action === 'nextMessage') void focus.moveTo(focus.index + 1)
  else if (action === 'openActions') target.querySelector<HTMLElement>('[role="toolbar"] button')?.focus()
  else if (isActionKey(action)) act(action, target)
  else return
  event.preventDefault()
  event.stopPropagation()

  function act(key: ActionKey, from: HTMLElement): void {
    const { row } = focus
    if (row && !row.unsent) void actLater(place, key, row, { from, atOnce: event.shiftKey })
  }
}
