import type { Attachment } from 'svelte/attachments'

/**
 * Makes a field as high as its text, up to its maximum height. `text` says when to measure again; a field that became wider or
 * narrower is measured too, because its lines and, on a phone, its padding differ. While measuring, the previous height stays
 * reserved: otherwise the list above would scroll, and a reader at its end would no longer be there.
 */
export function autosize(text: () => string): Attachment<HTMLTextAreaElement> {
  return (field) => {
    void text()
    let width = field.offsetWidth
    fit(field)
    const observer = new ResizeObserver(() => {
      if (field.offsetWidth === width) return
      width = field.offsetWidth
      fit(field)
    })
    observer.observe(field)
    return () => observer.disconnect()
  }
}

function fit(field: HTMLTextAreaElement): void {
  field.style.marginTop = `${field.offsetHeight}px`
  field.style.height = '0'
  const height = field.scrollHeight
  field.style.marginTop = ''
  field.style.height = `${height}px`
}
