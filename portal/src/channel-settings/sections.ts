import type { OwnStanding, Right } from '@portico/contract'
import { m } from '#paraglide/messages.js'
import type { IconName } from '#ui/Icon.svelte'

export interface Section {
  readonly path: string
  readonly icon: IconName
  readonly title: () => string
  readonly text: () => string
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
