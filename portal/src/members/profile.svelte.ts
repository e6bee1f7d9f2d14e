import type { Speaker } from '@portico/contract'
import type { Component } from 'svelte'
import { explainError } from '#api/explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'

export interface Profiled {
  readonly channelId: string
  readonly userId: string
}

/** What the page knows of someone who may have left the channel. */
export type KnownPerson = Pick<Speaker, 'id' | 'name' | 'channelNickname'> & Partial<Speaker>

/** Without an anchor the card is centred. */
type Place = Profiled & { readonly known?: KnownPerson | undefined; readonly anchor?: Element | undefined }
type Card = Component<Place & { onclose: () => void }>

let card = $state.raw<Card>()
let shown = $state.raw<Place>()

/**
 * The profile card of a member, opened from their name or picture; loaded when it is first opened, shown by the shell.
 */
export const profile = {
  get card(): Card | undefined {
    return shown && card
  },
  get shown(): Place | undefined {
    return shown
  },
  async show(of: Profiled & { known?: KnownPerson | undefined }, anchor?: Element): Promise<void> {
    try {
      card ??= (await import('#shell/ProfileCard.svelte')).default
      shown = { ...of, anchor }
    } catch (error) {
      showToast(() => explainError(error))
    }
  },
  hide(): void {
    shown = undefined
  },
  /** Closes the card of a member who left. */
  forget({ channelId, userId }: Profiled): void {
    if (shown?.channelId === channelId && shown.userId === userId) shown = undefined
  },
}
