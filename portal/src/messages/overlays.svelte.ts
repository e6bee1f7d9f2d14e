import type { RoomMessage } from '@portico/contract'
import type { Component } from 'svelte'
import { explainError } from '#api/explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'
import type { MenuPlace } from './menu-at.ts'

type EmojiPicker = Component<{ anchor: HTMLElement; onpick: (emoji: string) => void; onclose: () => void }>
type MessageMenu = Component<{ message: RoomMessage; onclose: () => void } & MenuPlace>
type AboutMessage = Component<{ message: RoomMessage; onclose: () => void }>

/** Overlays of a conversation, one at a time, each loaded when it is first opened. */
export class Overlays {
  #emoji = $state.raw<{ Picker: EmojiPicker; anchor: HTMLElement; picked: (emoji: string) => void }>()
  #about = $state.raw<{ Dialog: AboutMessage; message: RoomMessage }>()

  #menu = $state.raw<{ Menu: MessageMenu; message: RoomMessage; place: MenuPlace }>()

  get menu() {
    return this.#menu
  }

  get emoji() {
    return this.#emoji
  }

  get about() {
    return this.#about
  }

  close = (): void => {
    this.#emoji = undefined
    this.#about = undefined
  }

  /** Not everything: what a menu item opens appears before the menu reports that it was closed. */
  closeMenu = (): void => {
    this.#menu = undefined
  }

  async openMenu(message: RoomMessage, place: MenuPlace): Promise<void> {
    await this.#open(async () => {
      this.#menu = { Menu: (await import('./MessageMenu.svelte')).default, message, place }
    })
  }

  async pickEmoji(anchor: HTMLElement, picked: (emoji: string) => void): Promise<void> {
    await this.#open(async () => {
      const { default: Picker } = await import('#emoji/EmojiPicker.svelte')
      this.#emoji = { Picker, anchor, picked }
    })
  }

  async askToDelete(message: RoomMessage): Promise<void> {
    await this.#open(async () => {
      this.#about = { Dialog: (await import('./DeleteDialog.svelte')).default, message }
    })
  }

  async offerActions(message: RoomMessage): Promise<void> {
    await this.#open(async () => {
      this.#about = { Dialog: (await import('./ActionSheet.svelte')).default, message }
    })
  }

  async #open(load: () => Promise<void>): Promise<void> {
    this.close()
    try {
      await load()
    } catch (error) {
      showToast(() => explainError(error))
    }
  }
}
