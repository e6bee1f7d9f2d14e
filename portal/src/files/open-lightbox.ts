import { mount, unmount } from 'svelte'
import { explainError } from '#api/explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'
import type { FileLink } from './file-link.ts'

let opened = false

/**
 * Shows a picture large, with the others of its message. Outside the list of messages, whose keys mean something else.
 */
export async function openLightbox(pictures: readonly FileLink[], first: FileLink): Promise<void> {
  if (opened) return
  opened = true
  try {
    const { default: Lightbox } = await import('./Lightbox.svelte')
    const lightbox = mount(Lightbox, {
      target: document.body,
      props: {
        pictures,
        first: Math.max(0, pictures.indexOf(first)),
        onclose: () => {
          opened = false
          void unmount(lightbox)
        },
      },
    })
  } catch (error) {
    opened = false
    showToast(() => explainError(error))
  }
}
