import type { Application } from '@portico/contract'
import type { Component } from 'svelte'
import { m } from '#paraglide/messages.js'
import type { IconName } from '#ui/Icon.svelte'

type Page = Component<{ application: Application }>
type DeliveryPage = Component<{ application: Application; deliveryId: string }>

export interface Section {
  /** After the address of the application. */
  readonly path: string
  readonly icon: IconName
  readonly label: () => string
  readonly load: () => Promise<{ default: Page }>
}

/** The pages of one application, in the order in which they are needed; each is loaded when it is first opened. */
export const SECTIONS: readonly Section[] = [
  { path: '', icon: 'sliders', label: m.apps_overview, load: () => import('./Overview.svelte') },
  { path: 'bot', icon: 'lock', label: m.apps_bot, load: () => import('./BotAndKeys.svelte') },
  { path: 'installations', icon: 'hash', label: m.apps_installations, load: () => import('./Installations.svelte') },
  { path: 'commands', icon: 'command', label: m.apps_commands, load: () => import('./Commands.svelte') },
  { path: 'stream', icon: 'voice', label: m.apps_stream, load: () => import('./EventStream.svelte') },
  { path: 'webhook', icon: 'bell', label: m.apps_webhook, load: () => import('./Webhook.svelte') },
  { path: 'deliveries', icon: 'send', label: m.apps_deliveries, load: () => import('./Deliveries.svelte') },
  { path: 'oauth', icon: 'people', label: m.apps_oauth, load: () => import('./OAuth.svelte') },
  { path: 'why', icon: 'search', label: m.apps_why, load: () => import('./WhyCannot.svelte') },
]

export const loadDelivery = (): Promise<{ default: DeliveryPage }> => import('./DeliveryDetails.svelte')

/** The section of an address; undefined: there is none. Only deliveries have pages below their own. */
export function sectionAt(path: string | undefined, below: string | undefined): Section | undefined {
  if (below !== undefined && path !== 'deliveries') return undefined
  return SECTIONS.find((section) => section.path === (path ?? ''))
}

export function sectionHref(applicationId: string, path: string): string {
  return path === '' ? `/apps/${applicationId}` : `/apps/${applicationId}/${path}`
}
