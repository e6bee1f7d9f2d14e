import type { Member } from '@portico/contract'

/** The props of every form in the profile card. */
export interface ActionProps {
  readonly channelId: string
  readonly member: Member
  /** Back to the card without doing anything. */
  readonly onback: () => void
  /** Done: the card shows the change. */
  readonly ondone: () => Promise<unknown>
}
