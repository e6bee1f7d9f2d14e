interface Notice {
  id: number
  text: () => string
}

const LIFE_MS = 8000
let last = 0
let shown = $state<Notice[]>([])

export const toasts = {
  get shown(): readonly Notice[] {
    return shown
  },
}

/** Shows an error that isn't about what the reader is doing now. The text follows a change of language. */
export function showToast(text: () => string): void {
  last += 1
  const id = last
  shown.push({ id, text })
  setTimeout(() => dismiss(id), LIFE_MS)
}

export function dismiss(id: number): void {
  shown = shown.filter((notice) => notice.id !== id)
}
