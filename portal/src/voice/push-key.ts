const TEXT_FIELDS = 'input, textarea, select, [contenteditable]'
/** Keys that type nothing, so that they can be held while writing a message. */
const SILENT = /^(?:Control|Alt|Meta|Shift|F\d|CapsLock|ScrollLock|Pause|Insert|Numpad\d?Lock|ContextMenu)/
/** Keys that people need for other things. */
const RESERVED = new Set(['Tab', 'Escape', 'Enter'])

/** Whether a key can be chosen to talk with. */
export function isUsableKey(code: string): boolean {
  return code !== '' && !RESERVED.has(code)
}

/** Calls back while the key is held. A key that types doesn't count in a text field. Returns a function that stops it. */
export function watchPushKey(code: () => string, onHold: (held: boolean) => void): () => void {
  let held = false
  const hold = (next: boolean): void => {
    if (held === next) return
    held = next
    onHold(next)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.code !== code() || (isWriting(event.target) && !SILENT.test(event.code))) return
    // The key must neither press a button nor begin a message.
    if (!SILENT.test(event.code)) event.preventDefault()
    hold(true)
  }
  const onKeyUp = (event: KeyboardEvent): void => {
    if (event.code === code()) hold(false)
  }
  // A window without focus gets no keyup event.
  const release = (): void => hold(false)
  addEventListener('keydown', onKeyDown, true)
  addEventListener('keyup', onKeyUp, true)
  addEventListener('blur', release)
  return () => {
    removeEventListener('keydown', onKeyDown, true)
    removeEventListener('keyup', onKeyUp, true)
    removeEventListener('blur', release)
    release()
  }
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TEXT_FIELDS) !== null
}

/** A key as printed on a keyboard. */
export function keyName(code: string): string {
  const named: Record<string, string> = { Backquote: '`', Space: '␣', ControlLeft: 'Ctrl', ControlRight: 'Ctrl →' }
  return named[code] ?? code.replace(/^(?:Key|Digit)/, '')
}
