import type { Attachment } from 'svelte/attachments'

/** A field as high as what is written in it, up to what its style allows. `text` says when to look again. */
export function autosize(text: () => string): Attachment<HTMLTextAreaElement> {
  return (field) => {
    void text()
    field.style.height = 'auto'
    field.style.height = `${field.scrollHeight}px`
  }
}
