import type { OwnStanding, Right } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import type { Section as AnySection } from '#sections/section.ts'

export interface Section extends AnySection {
  /** Any of these rights opens the section. */
  readonly rights: readonly Right[]
}

const SECTIONS: readonly Section[] = [
  {
    path: 'overview',
    icon: 'sliders',
    title: m.manage_overview,
    text: m.manage_overview_text,
    rights: ['manage_channel'],
  },
  { path: 'rooms', icon: 'hash', title: m.manage_rooms, text: m.manage_rooms_text, rights: ['manage_rooms'] },
  { path: 'roles', icon: 'shield', title: m.manage_roles, text: m.manage_roles_text, rights: ['manage_roles'] },
  {
    path: 'members',
    icon: 'people',
    title: m.manage_members,
    text: m.manage_members_text,
    rights: ['manage_roles', 'mute_chat_member', 'mute_voice_member', 'move_voice_member', 'kick_member'],
  },
  { path: 'bots', icon: 'bot', title: m.manage_bots, text: m.manage_bots_text, rights: ['manage_bots'] },
  {
    path: 'invitations',
    icon: 'link',
    title: m.manage_invitations,
    text: m.manage_invitations_text,
    rights: ['invite_member', 'manage_channel'],
  },
  {
    path: 'audit-log',
    icon: 'history',
    title: m.manage_audit,
    text: m.manage_audit_text,
    rights: ['view_audit_log'],
  },
]

export function sectionAt(path: string): Section {
  const section = SECTIONS.find((one) => one.path === path)
  if (!section) throw new Error(`There is no section ${path}`)
  return section
}

/** The sections that somebody of this standing can do anything in. */
export function sectionsFor({ rights }: Pick<OwnStanding, 'rights'>): Section[] {
  return SECTIONS.filter((section) => section.rights.some((right) => rights.includes(right)))
}
