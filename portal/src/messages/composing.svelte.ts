import { tick } from 'svelte'
import type { Quoted } from './outbox.svelte.ts'

type TakeKey = (event: KeyboardEvent) => boolean

/**
 * What is being written in one room. Whatever helps to write (completions, commands, the emoji picker) works on this
 * and never on the field itself: it reads `text` and `caret`, calls `replace`, takes keys before the composer does, and
 * says which list it has opened.
 */
export class Composing {
  text = $state('')
  /** Where the caret is, in the units of `text.length`. */
  caret = $state(0)
  replyTo = $state.raw<Quoted>()
  /** The listbox that belongs to the field now, and its active option: ids for `aria-controls` and `aria-activedescendant`. */
  list = $state.raw<{ readonly id: string; readonly activeId: string | undefined }>()
  #field: HTMLTextAreaElement | undefined
  readonly #takers: TakeKey[] = []

  /** For the composer: the field that shows the text. */
  attach(field: HTMLTextAreaElement): () => void {
    this.#field = field
    return () => {
      this.#field = undefined
    }
  }

  focus(): void {
    this.#field?.focus()
  }

  /** Puts inserted in the place of those between two positions, with the caret behind them; Ctrl+Z takes it back. */
  async replace(from: number, to: number, inserted: string): Promise<void> {
    const field = this.#field
    if (!field) return
    field.focus()
    field.setSelectionRange(from, to)
    // The only way that keeps the browser's own undo. It is old, and where it is gone the text is set as a whole.
    if (!document.execCommand('insertText', false, inserted)) {
      this.text = this.text.slice(0, from) + inserted + this.text.slice(to)
      await tick()
      field.setSelectionRange(from + inserted.length, from + inserted.length)
    }
    this.caret = from + inserted.length
  }

  /** Puts inserted where the caret is. */
  insert(inserted: string): Promise<void> {
    const { selectionStart = this.caret, selectionEnd = this.caret } = this.#field ?? {}
    return this.replace(selectionStart, selectionEnd, inserted)
  }

  /** Puts marks around what is selected, or takes them away; without a selection the caret stands between them. */
  async wrap(mark: string): Promise<void> {
    const field = this.#field
    if (!field) return
    const { selectionStart: from, selectionEnd: to, value } = field
    const inner = value.slice(from, to)
    if (value.slice(from - mark.length, from) === mark && value.slice(to, to + mark.length) === mark) {
      await this.replace(from - mark.length, to + mark.length, inner)
      field.setSelectionRange(from - mark.length, to - mark.length)
    } else {
      await this.replace(from, to, mark + inner + mark)
      field.setSelectionRange(from + mark.length, to + mark.length)
    }
    this.caret = field.selectionEnd
  }

  /** Asks to be handed keys before the composer; true says that the key was used. Gives the way to stop. */
  takeKeys(take: TakeKey): () => void {
    this.#takers.push(take)
    return () => {
      this.#takers.splice(this.#takers.indexOf(take), 1)
    }
  }

  /** For the composer: whether somebody used the key. */
  offerKey(event: KeyboardEvent): boolean {
    return this.#takers.toReversed().some((take) => take(event))
  }
}
