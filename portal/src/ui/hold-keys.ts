export interface HeldKeys {
  /** Gives what was typed to the field that has the focus now. */
  release(): void
}

let held: HeldKeys | undefined

/**
 * Holds back what is typed until what it is meant for has been loaded and has the focus. Otherwise it would become part of the
 * message that is being written, and Enter would send it. Esc drops it.
 */
export function holdKeys(oncancel: () => void): HeldKeys {
  held?.release()
  let text = ''
  let enters = false

  function onkeydown(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event
    if (ctrlKey || metaKey || altKey || isComposing) return
    if (key === 'Escape') {
      stop()
      oncancel()
    } else if (key === 'Enter') enters = true
    else if (key === 'Backspace') text = [...text].slice(0, -1).join('')
    else if (key.length === 1) text += key
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  function stop(): void {
    held = undefined
    removeEventListener('keydown', onkeydown, true)
  }

  const keys = {
    release() {
      if (held !== keys) return
      stop()
      const field = document.activeElement
      if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
      // The only way that preserves the browser's undo.
      if (text !== '') document.execCommand('insertText', false, text)
      if (enters && field instanceof HTMLInputElement) {
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
      }
    },
  }
  held = keys
  addEventListener('keydown', onkeydown, true)
  return keys
}

/** For a field that takes the focus when it is loaded. */
export function releaseKeys(): void {
  held?.release()
}
