import type { Component } from 'svelte'
import type MarkdownPart from './Markdown.svelte'

type MarkdownComponent = typeof MarkdownPart extends Component<infer Props> ? Component<Props> : never

let component = $state.raw<MarkdownComponent>()
let settled = $state(false)

/** The component that shows Markdown, which comes after the page: until then, and where it cannot be had, text is plain. */
export const lazyMarkdown = {
  get component(): MarkdownComponent | undefined {
    return component
  },
  /** It is there, or it is not coming now: nothing that is shown from here on changes its height. */
  get settled(): boolean {
    return settled
  },
  async prepare(): Promise<void> {
    if (component) return
    try {
      component = (await import('./Markdown.svelte')).default
    } catch {
      // The server is away; asked for again with the next room.
    } finally {
      settled = true
    }
  },
}
