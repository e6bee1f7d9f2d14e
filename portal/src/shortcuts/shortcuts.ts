/** A key with its modifiers. `mod` is Ctrl, or ⌘ on Apple devices. */
export interface Combination {
  /** As in `KeyboardEvent.key`; letters in lower case. */
  readonly key: string
  /** As in `KeyboardEvent.code`: the position of a letter, which is the same on a Cyrillic keyboard. */
  readonly code?: string
  readonly mod?: true
  readonly alt?: true
  readonly shift?: true
}

/** Every shortcut, where it works and what it does. The dialog on Ctrl+/ shows the same table. */
export const SHORTCUTS = {
  anywhere: {
    openSwitcher: [{ key: 'k', code: 'KeyK', mod: true }],
    previousRoom: [{ key: 'ArrowUp', alt: true }],
    nextRoom: [{ key: 'ArrowDown', alt: true }],
    previousUnread: [{ key: 'ArrowUp', alt: true, shift: true }],
    nextUnread: [{ key: 'ArrowDown', alt: true, shift: true }],
    previousChannel: [{ key: 'ArrowUp', mod: true, alt: true }],
    nextChannel: [{ key: 'ArrowDown', mod: true, alt: true }],
    search: [{ key: 'f', code: 'KeyF', mod: true, shift: true }],
    muteRoom: [{ key: 'm', code: 'KeyM', mod: true, shift: true }],
    closeOrCatchUp: [{ key: 'Escape' }],
    readChannel: [{ key: 'Escape', shift: true }],
    nextLandmark: [{ key: 'F6' }],
    previousLandmark: [{ key: 'F6', shift: true }],
    showShortcuts: [{ key: '/', code: 'Slash', mod: true }],
  },
  channels: {
    moveChannelUp: [{ key: 'ArrowUp', mod: true, shift: true }],
    moveChannelDown: [{ key: 'ArrowDown', mod: true, shift: true }],
  },
  composer: {
    send: [{ key: 'Enter' }],
    breakLine: [{ key: 'Enter', shift: true }],
    editLast: [{ key: 'ArrowUp' }],
    complete: [{ key: 'Tab' }],
    bold: [{ key: 'b', code: 'KeyB', mod: true }],
    italic: [{ key: 'i', code: 'KeyI', mod: true }],
    strike: [{ key: 'x', code: 'KeyX', mod: true, shift: true }],
    code: [{ key: 'e', code: 'KeyE', mod: true }],
    codeBlock: [{ key: 'e', code: 'KeyE', mod: true, shift: true }],
    quote: [{ key: '9', code: 'Digit9', mod: true, shift: true }],
    list: [{ key: '8', code: 'Digit8', mod: true, shift: true }],
    spoiler: [{ key: 'h', code: 'KeyH', mod: true, shift: true }],
  },
  messages: {
    previousMessage: [{ key: 'ArrowUp' }],
    nextMessage: [{ key: 'ArrowDown' }],
    pageUp: [{ key: 'PageUp' }],
    pageDown: [{ key: 'PageDown' }],
    oldest: [{ key: 'Home' }],
    newest: [{ key: 'End' }],
    openActions: [{ key: 'Enter' }],
    edit: [{ key: 'e', code: 'KeyE' }],
    reply: [{ key: 'r', code: 'KeyR' }],
    pin: [{ key: 'p', code: 'KeyP' }],
    react: [{ key: '+' }],
    delete: [{ key: 'Delete' }],
  },
} as const satisfies Record<string, Record<string, readonly Combination[]>>

export type ShortcutScope = keyof typeof SHORTCUTS
export type ShortcutAction<Place extends ShortcutScope = ShortcutScope> = Place extends ShortcutScope
  ? keyof (typeof SHORTCUTS)[Place]
  : never

export const isApple = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The action of a key press in this scope, if any. Never while an input method is composing. */
export function pressed<Place extends ShortcutScope>(
  place: Place,
  event: KeyboardEvent,
): ShortcutAction<Place> | undefined {
  if (event.isComposing) return undefined
  for (const [action, combinations] of entriesOf(place)) {
    if (combinations.some((combination) => fits(combination, event))) return action
  }
  return undefined
}

function entriesOf<Place extends ShortcutScope>(place: Place): [ShortcutAction<Place>, readonly Combination[]][] {
  return Object.entries(SHORTCUTS[place]) as [ShortcutAction<Place>, readonly Combination[]][]
}

function fits({ key, code, mod, alt, shift }: Combination, event: KeyboardEvent): boolean {
  const named = event.key === key || event.key.toLowerCase() === key || (code !== undefined && event.code === code)
  // A character such as + needs Shift on some keyboards and not on others.
  const shiftFits = event.shiftKey === Boolean(shift) || (key.length === 1 && code === undefined)
  const [command, other] = isApple ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey]
  return named && shiftFits && command === Boolean(mod) && !other && event.altKey === Boolean(alt)
}
