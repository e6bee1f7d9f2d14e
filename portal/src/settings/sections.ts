import { m } from '#paraglide/messages.js'
import type { LazySection, Section } from '#pages/section.ts'

export const BASE = '/settings'

export const SECTIONS = [
  {
    path: 'profile',
    icon: 'people',
    title: m.settings_profile,
    text: m.settings_profile_text,
    load: () => import('./Profile.svelte'),
  },
  {
    path: 'appearance',
    icon: 'sun',
    title: m.settings_appearance,
    text: m.settings_appearance_text,
    load: () => import('./Appearance.svelte'),
  },
  {
    path: 'notifications',
    icon: 'bell',
    title: m.settings_notifications,
    text: m.settings_notifications_text,
    load: () => import('./Notifications.svelte'),
  },
  {
    path: 'voice',
    icon: 'mic',
    title: m.settings_voice,
    text: m.settings_voice_text,
    load: () => import('./Voice.svelte'),
  },
  {
    path: 'sessions',
    icon: 'screen',
    title: m.settings_sessions,
    text: m.settings_sessions_text,
    load: () => import('./Sessions.svelte'),
  },
  {
    path: 'password',
    icon: 'lock',
    title: m.settings_password,
    text: m.settings_password_text,
    load: () => import('./Password.svelte'),
  },
  {
    path: 'websites',
    icon: 'link',
    title: m.settings_websites,
    text: m.settings_websites_text,
    load: () => import('./Websites.svelte'),
  },
  {
    path: 'keyboard',
    icon: 'keyboard',
    title: m.settings_shortcuts,
    text: m.settings_shortcuts_text,
    load: () => import('./Shortcuts.svelte'),
  },
  {
    path: 'data',
    icon: 'shield',
    title: m.settings_data,
    text: m.settings_data_text,
    load: () => import('./PersonalData.svelte'),
  },
] as const satisfies readonly LazySection[]

export function sectionAt(path: (typeof SECTIONS)[number]['path']): Section {
  const section = SECTIONS.find((one) => one.path === path)
  if (!section) throw new Error(`There is no section ${path}`)
  return section
}
