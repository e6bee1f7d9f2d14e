import type { Component } from 'svelte'
import type { IconName } from '#ui/Icon.svelte'

/** A part of a larger page that has an address of its own. */
export interface Section {
  readonly path: string
  readonly icon: IconName
  readonly title: () => string
  readonly text: () => string
}

/** One that is loaded when it is opened. Sections of one page share a route: each route costs every page a little. */
export interface LazySection extends Section {
  readonly load: () => Promise<{ default: Component }>
}
