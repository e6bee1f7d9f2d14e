import type { Component } from 'svelte'
import type MarkdownPart from './Markdown.svelte'

type Part = typeof MarkdownPart extends Component<infer Props> ? Component<Props> : never

let part = $state.raw<Part>()
let settled = $state(false)

/** The part that shows Markdown, which comes after the page: until then, and where it cannot be had, text is plain. */
export const rendering = {
  get part(): Part | undefined {
    return part
  },
  /** It is there, or it is not coming now: nothing that is shown from here on changes its height. */
  get settled(): boolean {
    return settled
  },
  async prepare(): Promise<void> {
    if (part) return
    try {
      part = (await import('./Markdown.svelte')).default
    } catch {
      // The server is away; asked for again with the next room.
    } finally {
      settled = true
    }
  },
}
