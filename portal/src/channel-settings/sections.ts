import type { OwnPermissions, Right } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import type { Section as AnySection } from '#pages/section.ts'

export interface Section extends AnySection {
  /** Any of these rights opens the section. */
  readonly rights: readonly Right[]
}

const SECTIONS: readonly Section[] = [
  {
    path: 'overview',
    icon: 'sliders',
    title: m.channel_settings_overview,
    text: m.channel_settings_overview_text,
    rights: ['manage_channel'],
  },
  {
    path: 'rooms',
    icon: 'hash',
    title: m.channel_settings_rooms,
    text: m.channel_settings_rooms_text,
    rights: ['manage_rooms'],
  },
  {
    path: 'roles',
    icon: 'shield',
    title: m.channel_settings_roles,
    text: m.channel_settings_roles_text,
    rights: ['manage_roles'],
  },
  {
    path: 'members',
    icon: 'people',
    title: m.channel_settings_members,
    text: m.channel_settings_members_text,
    rights: ['manage_roles', 'mute_chat_member', 'mute_voice_member', 'move_voice_member', 'kick_member'],
  },
  {
    path: 'bans',
    icon: 'lock',
    title: m.channel_settings_bans,
    text: m.channel_settings_bans_text,
    rights: ['kick_member'],
  },
  {
    path: 'bots',
    icon: 'bot',
    title: m.channel_settings_bots,
    text: m.channel_settings_bots_text,
    rights: ['manage_bots'],
  },
  {
    path: 'invitations',
    icon: 'link',
    title: m.channel_settings_invitations,
    text: m.channel_settings_invitations_text,
    rights: ['invite_member', 'manage_channel'],
  },
  {
    path: 'audit-log',
    icon: 'history',
    title: m.channel_settings_audit,
    text: m.channel_settings_audit_text,
    rights: ['view_audit_log'],
  },
]

export function sectionAt(path: string): Section {
  const section = SECTIONS.find((one) => one.path === path)
  if (!section) throw new Error(`There is no section ${path}`)
  return section
}

/** The sections in which a member with these rights can do something. */
export function sectionsFor({ rights }: Pick<OwnPermissions, 'rights'>): Section[] {
  return SECTIONS.filter((section) => section.rights.some((right) => rights.includes(right)))
}
