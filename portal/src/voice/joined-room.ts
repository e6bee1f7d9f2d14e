import type { Account, Room } from '@portico/contract'
import type { Snippet } from 'svelte'
import type { OperationOutput } from '#api/api.ts'
import type { JoinRequest } from './voice.svelte.ts'

/** What voice and stream rooms are shown with. */
export interface JoinedRoomProps {
  readonly account: Account
  readonly channelId: string
  readonly room: Room
  /** The room's chat. */
  readonly chat: Snippet
  /** The account is in the room, on this page. */
  readonly here: boolean
  /** The portal has no media server. */
  readonly off: boolean
  /** Undefined until they are loaded. */
  readonly permissions: OperationOutput<'getRoomPermissions'> | undefined
  readonly joinRequest: JoinRequest
}
