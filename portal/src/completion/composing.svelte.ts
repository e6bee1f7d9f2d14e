import { tick } from 'svelte'
import type { Names } from './mentions.ts'
import type { Quoted } from '#drafts/quoted.ts'

type TakeKey = (event: KeyboardEvent) => boolean

/** A message as it was written. */
export interface WrittenMessage {
  readonly text: string
  readonly replyTo: Quoted | undefined
}

/**
 * The text being written in one room. Completions, commands and the emoji picker work on this and never on the field
 * itself: they read `text` and `caret`, call `replace`, get keys before the composer does, and announce the list they
 * have opened.
 */
export class Composing {
  text = $state('')
  /** The position of the caret, in units of `text.length`. */
  caret = $state(0)
  replyTo = $state.raw<Quoted>()
  /** The message that is sent as soon as its files are uploaded. What is typed meanwhile belongs to the next one. */
  waiting = $state.raw<WrittenMessage>()
  /** The id of a message that was deleted while it was replied to: what is written is sent without the reply. */
  deletedTarget = $state<string>()
  /** Whom and what the names in the text mean, once that is known. */
  names = $state.raw<Names>()
  /** The text that was sent last, until something else is typed. */
  sent = $state('')
  /**
   * The listbox that belongs to the field, and its active option: ids for `aria-controls` and `aria-activedescendant`.
   */
  list = $state.raw<{ readonly id: string; readonly activeId: string | undefined }>()
  #field: HTMLTextAreaElement | undefined
  readonly #takers: TakeKey[] = []

  get isTargetDeleted(): boolean {
    return this.replyTo !== undefined && this.replyTo.id === this.deletedTarget
  }

  /** The selected part of the text. */
  get selection(): { readonly from: number; readonly to: number } {
    const { selectionStart: from = this.caret, selectionEnd: to = this.caret } = this.#field ?? {}
    return { from, to }
  }

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

  /** Replaces the text between two positions and moves the caret behind it; Ctrl+Z undoes it. */
  async replace(from: number, to: number, inserted: string): Promise<void> {
    const field = this.#field
    if (!field) return
    field.focus()
    field.setSelectionRange(from, to)
    // The only way that preserves the browser's undo. It is deprecated; without it the text is set as a whole.
    if (!document.execCommand('insertText', false, inserted)) {
      this.text = this.text.slice(0, from) + inserted + this.text.slice(to)
      await tick()
      field.setSelectionRange(from + inserted.length, from + inserted.length)
    }
    this.caret = from + inserted.length
  }

  select(from: number, to: number): void {
    this.#field?.setSelectionRange(from, to)
    this.caret = to
  }

  /** Inserts text at the caret. */
  insert(inserted: string): Promise<void> {
    const { selectionStart = this.caret, selectionEnd = this.caret } = this.#field ?? {}
    return this.replace(selectionStart, selectionEnd, inserted)
  }

  /** Wraps the selection in marks, or removes them; without a selection the caret goes between them. */
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

  /**
   * Registers a handler that gets keys before the composer and returns true if it used one. Returns a function that
   * unregisters it.
   */
  takeKeys(take: TakeKey): () => void {
    this.#takers.push(take)
    return () => {
      this.#takers.splice(this.#takers.indexOf(take), 1)
    }
  }

  /** For the composer: whether a handler used the key. */
  offerKey(event: KeyboardEvent): boolean {
    return this.#takers.toReversed().some((take) => take(event))
  }
}
