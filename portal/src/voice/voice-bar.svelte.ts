import type { Component } from 'svelte'

let component = $state.raw<Component>()

/** The place of the voice bar in the side panel: empty, and costing nothing, until somebody joins a voice room. */
export const voiceBar = {
  get component(): Component | undefined {
    return component
  },
  show(bar: Component): void {
    component = bar
  },
  hide(): void {
    component = undefined
  },
}
