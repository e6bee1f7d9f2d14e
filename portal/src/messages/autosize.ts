import type { Attachment } from 'svelte/attachments'

/**
 * Makes a field as high as its text, up to its maximum height. `text` says when to measure again. While measuring, the
 * previous height stays reserved: otherwise the list above would scroll, and a reader at its end would no longer be
 * there.
 */
export function autosize(text: () => string): Attachment<HTMLTextAreaElement> {
  return (field) => {
    void text()
    field.style.marginTop = `${field.offsetHeight}px`
    field.style.height = '0'
    const height = field.scrollHeight
    field.style.marginTop = ''
    field.style.height = `${height}px`
  }
}
