import type { Application } from '@portico/contract'
import type { Component } from 'svelte'
import { m } from '#paraglide/messages.js'
import type { Section as AnySection } from '#pages/section.ts'

type Page = Component<{ application: Application }>
type DeliveryPage = Component<{ application: Application; deliveryId: string }>

export interface Section extends Pick<AnySection, 'path' | 'icon' | 'title'> {
  readonly load: () => Promise<{ default: Page }>
}

/** The pages of an application in the order they are needed; each is loaded when it is first opened. */
export const SECTIONS: readonly Section[] = [
  { path: '', icon: 'sliders', title: m.applications_overview, load: () => import('./Overview.svelte') },
  { path: 'bot', icon: 'lock', title: m.applications_bot, load: () => import('./BotAndKeys.svelte') },
  {
    path: 'installations',
    icon: 'hash',
    title: m.applications_installations,
    load: () => import('./Installations.svelte'),
  },
  { path: 'commands', icon: 'command', title: m.applications_commands, load: () => import('./Commands.svelte') },
  { path: 'stream', icon: 'voice', title: m.applications_stream, load: () => import('./EventStream.svelte') },
  { path: 'webhook', icon: 'bell', title: m.applications_webhook, load: () => import('./Webhook.svelte') },
  { path: 'deliveries', icon: 'send', title: m.applications_deliveries, load: () => import('./Deliveries.svelte') },
  { path: 'oauth', icon: 'people', title: m.applications_oauth, load: () => import('./OAuth.svelte') },
  { path: 'why', icon: 'search', title: m.applications_why, load: () => import('./AccessExplainer.svelte') },
]

export const loadDelivery = (): Promise<{ default: DeliveryPage }> => import('./DeliveryDetails.svelte')

/** The section at a path, if any. Only deliveries have pages below their own. */
export function sectionAt(path: string | undefined, below: string | undefined): Section | undefined {
  if (below !== undefined && path !== 'deliveries') return undefined
  return SECTIONS.find((section) => section.path === (path ?? ''))
}
