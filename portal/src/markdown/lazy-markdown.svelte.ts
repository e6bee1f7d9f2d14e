import type { Component } from 'svelte'
import type MarkdownPart from './Markdown.svelte'

type MarkdownComponent = typeof MarkdownPart extends Component<infer Props> ? Component<Props> : never

let component = $state.raw<MarkdownComponent>()
let settled = $state(false)

/** The Markdown component, loaded after the page. Until then, or if it can't be loaded, text is shown as plain text. */
export const lazyMarkdown = {
  get component(): MarkdownComponent | undefined {
    return component
  },
  /** Loading has succeeded or failed: from here on nothing changes its height. */
  get settled(): boolean {
    return settled
  },
  async prepare(): Promise<void> {
    if (component) return
    try {
      component = (await import('./Markdown.svelte')).default
    } catch {
      // The server is down; retried with the next room.
    } finally {
      settled = true
    }
  },
}
