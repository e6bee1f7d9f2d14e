import { m } from '#paraglide/messages.js'
import type { LazySection, Section } from '#pages/section.ts'

export const BASE = '/administration'

export const SECTIONS = [
  {
    path: 'people',
    icon: 'people',
    title: m.administration_people,
    text: m.administration_people_text,
    load: () => import('./People.svelte'),
  },
  {
    path: 'channels',
    icon: 'hash',
    title: m.administration_channels,
    text: m.administration_channels_text,
    load: () => import('./Channels.svelte'),
  },
  {
    path: 'applications',
    icon: 'bot',
    title: m.administration_applications,
    text: m.administration_applications_text,
    load: () => import('./Applications.svelte'),
  },
  {
    path: 'portal',
    icon: 'sliders',
    title: m.administration_portal,
    text: m.administration_portal_text,
    load: () => import('./PortalSettings.svelte'),
  },
  {
    path: 'audit-log',
    icon: 'history',
    title: m.administration_audit,
    text: m.administration_audit_text,
    load: () => import('./audit/AuditPage.svelte'),
  },
  {
    path: 'health',
    icon: 'pulse',
    title: m.administration_health,
    text: m.administration_health_text,
    load: () => import('./HealthPage.svelte'),
  },
] as const satisfies readonly LazySection[]

export function sectionAt(path: (typeof SECTIONS)[number]['path']): Section {
  const section = SECTIONS.find((one) => one.path === path)
  if (!section) throw new Error(`There is no section ${path}`)
  return section
}
