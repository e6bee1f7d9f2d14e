import { m } from '#paraglide/messages.js'
import type { LazySection, Section } from '#sections/section.ts'

export const BASE = '/administration'

export const SECTIONS = [
  {
    path: 'people',
    icon: 'people',
    title: m.admin_people,
    text: m.admin_people_text,
    load: () => import('./People.svelte'),
  },
  {
    path: 'channels',
    icon: 'hash',
    title: m.admin_channels,
    text: m.admin_channels_text,
    load: () => import('./Channels.svelte'),
  },
  {
    path: 'applications',
    icon: 'bot',
    title: m.admin_applications,
    text: m.admin_applications_text,
    load: () => import('./Applications.svelte'),
  },
  {
    path: 'portal',
    icon: 'sliders',
    title: m.admin_portal,
    text: m.admin_portal_text,
    load: () => import('./PortalSettings.svelte'),
  },
  {
    path: 'audit-log',
    icon: 'history',
    title: m.admin_audit,
    text: m.admin_audit_text,
    load: () => import('./audit/AuditPage.svelte'),
  },
  {
    path: 'health',
    icon: 'pulse',
    title: m.admin_health,
    text: m.admin_health_text,
    load: () => import('./HealthPage.svelte'),
  },
] as const satisfies readonly LazySection[]

export function sectionAt(path: (typeof SECTIONS)[number]['path']): Section {
  const section = SECTIONS.find((one) => one.path === path)
  if (!section) throw new Error(`There is no section ${path}`)
  return section
}
