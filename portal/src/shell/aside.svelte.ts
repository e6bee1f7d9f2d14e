import type { Component } from 'svelte'
import { MediaQuery } from 'svelte/reactivity'
import { readStored, writeStored } from '#storage/local-storage.ts'

export type PanelName = 'members' | 'pins' | 'search'

type Panel = Component<{ channelId: string; roomId: string; onjump: () => void }>

/** The panels that can open next to the conversation, one at a time. */
export const PANELS: Readonly<Record<PanelName, () => Promise<{ default: Panel }>>> = {
  members: () => import('#members/MembersPanel.svelte'),
  pins: () => import('#messages/PinsPanel.svelte'),
  search: () => import('#search/SearchPanel.svelte'),
}

const wide = new MediaQuery('min-width: 1081px')
const phone = new MediaQuery('max-width: 720px')

/** Opened by the reader. Without one, the members are shown if there is room and they weren't closed. */
let requested = $state<PanelName>()
let membersWanted = $state(readStored('members', (value): value is boolean => typeof value === 'boolean') ?? true)

export const aside = {
  get panel(): PanelName | undefined {
    return requested ?? (wide.current && membersWanted ? 'members' : undefined)
  },
  /** On a phone it slides in over the conversation, which is inert meanwhile. */
  get isDrawer(): boolean {
    return phone.current && requested !== undefined
  },
  /** A column of its own: it covers nothing, and Esc doesn't close it. */
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
    requested = stays ? undefined : panel
  },
  /** Closes the panel. The list of members comes back, unless it is itself what is being closed. */
  hide(): void {
    if (aside.isColumn) keepMembers(false)
    requested = undefined
  },
}

function keepMembers(wanted: boolean): void {
  membersWanted = wanted
  writeStored('members', wanted)
}
