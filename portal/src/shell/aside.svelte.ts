import { MediaQuery } from 'svelte/reactivity'
import { readStored, writeStored } from '#local-storage.ts'

/** What can stand beside the conversation, one at a time. */
export const PANELS = {
  members: () => import('#members/MembersPanel.svelte'),
  pins: () => import('#messages/PinsPanel.svelte'),
  search: () => import('#search/SearchPanel.svelte'),
}

export type PanelName = keyof typeof PANELS

const wide = new MediaQuery('min-width: 1081px')
const phone = new MediaQuery('max-width: 720px')

/** Opened by the person. With none, the members stand there where there is room, unless they were sent away. */
let asked = $state<PanelName>()
let membersWanted = $state(readStored('members', (value): value is boolean => typeof value === 'boolean') ?? true)

export const aside = {
  get panel(): PanelName | undefined {
    return asked ?? (wide.current && membersWanted ? 'members' : undefined)
  },
  /** On a phone it comes in from the side, over a conversation that takes no input meanwhile. */
  get isDrawer(): boolean {
    return phone.current && asked !== undefined
  },
  /** Stands there by itself: not in the way of anything, and nothing for Esc to close. */
  get isColumn(): boolean {
    return wide.current && aside.panel === 'members'
  },
  toggle(panel: PanelName): void {
    if (aside.panel === panel) aside.hide()
    else aside.show(panel)
  },
  show(panel: PanelName): void {
    const stays = panel === 'members' && wide.current
    if (stays) keepMembers(true)
    asked = stays ? undefined : panel
  },
  /** What was asked for goes; the members, who come back then, go only when they themselves are sent away. */
  hide(): void {
    if (aside.isColumn) keepMembers(false)
    asked = undefined
  },
}

function keepMembers(wanted: boolean): void {
  membersWanted = wanted
  writeStored('members', wanted)
}
