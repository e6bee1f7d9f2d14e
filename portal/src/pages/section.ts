import type { Component } from 'svelte'
import type { IconName } from '#ui/Icon.svelte'

/** A part of a larger page with a URL of its own. */
export interface Section {
  readonly path: string
  readonly icon: IconName
  readonly title: () => string
  readonly text: () => string
}

/**
 * A section that is loaded when it is opened. Sections of one page share a route, because every route adds to the first
 * load.
 */
export interface LazySection extends Section {
  readonly load: () => Promise<{ default: Component }>
}
