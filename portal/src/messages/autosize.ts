import type { Attachment } from 'svelte/attachments'

/**
 * A field as high as what is written in it, up to what its style allows. `text` says when to look again.
 * While it is measured the room that it took stays taken: what is above would scroll, and a reader at the end of it would
 * not be there any more.
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
