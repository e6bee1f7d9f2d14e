import type { Component } from 'svelte'

let bar = $state.raw<Component>()

/**
 * The voice bar above the account's name, or above the page on a phone. It is loaded and set when someone joins a voice
 * room.
 */
export const voiceBar = {
  get component(): Component | undefined {
    return bar
  },
  set component(shown: Component | undefined) {
    bar = shown
  },
}
