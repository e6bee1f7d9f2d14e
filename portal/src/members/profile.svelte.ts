import type { Speaker } from '@portico/contract'

export interface Profiled {
  readonly channelId: string
  readonly userId: string
}

/** What the page knows of someone who may have left the channel. */
export type KnownPerson = Pick<Speaker, 'id' | 'name' | 'channelNickname'> & Partial<Speaker>

/** Without an anchor the card is centered. */
type Place = Profiled & { readonly known?: KnownPerson | undefined; readonly anchor?: Element | undefined }

let shown = $state.raw<Place>()

/** The member whose profile card is open. It is opened from their name or picture; the shell shows it. */
export const profile = {
  get shown(): Place | undefined {
    return shown
  },
  show(of: Profiled & { known?: KnownPerson | undefined }, anchor?: Element): void {
    shown = { ...of, anchor }
  },
  hide(): void {
    shown = undefined
  },
  /** Closes the card of a member who left. */
  forget({ channelId, userId }: Profiled): void {
    if (shown?.channelId === channelId && shown.userId === userId) shown = undefined
  },
}
