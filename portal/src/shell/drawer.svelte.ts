import type { Component } from 'svelte'
import { MediaQuery } from 'svelte/reactivity'

const narrow = new MediaQuery('max-width: 720px')
let wanted = $state(false)

/** On a phone the rail and the rooms come in from the side, over the conversation. */
export const drawer = {
  /** There is a drawer, open or not. */
  get narrow(): boolean {
    return narrow.current
  },
  /** True while it lies over everything else, which then takes no input. */
  get open(): boolean {
    return narrow.current && wanted
  },
  get hidden(): boolean {
    return narrow.current && !wanted
  },
  show(): void {
    wanted = true
  },
  hide(): void {
    wanted = false
  },
}

let bar = $state.raw<Component>()

/**
 * What stands above the own name, and on a phone above the page: nothing, until somebody joins a voice room, with which
 * its bar is loaded.
 */
export const voiceBar = {
  get component(): Component | undefined {
    return bar
  },
  set component(shown: Component | undefined) {
    bar = shown
  },
}
