import type { Member } from '@portico/contract'

/** What every form of the profile card is given. */
export interface ActionProps {
  readonly channelId: string
  readonly member: Member
  /** Back to the card, with nothing done. */
  readonly onback: () => void
  /** Done: the card shows what has changed. */
  readonly ondone: () => Promise<unknown>
}
