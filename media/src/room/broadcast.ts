import type { ClientAddress } from '../ice/addresses.ts'
import type { IceCredentials } from '../ice/stun.ts'
import type { Grant } from '../signal/verify-token.ts'

/** A program that broadcasts what one offer contains (WHIP). */
export interface Broadcast {
  readonly grant: Grant
  /** Where the room is. */
  readonly channelId: string
  readonly client: ClientAddress
  readonly sdp: string
}

export interface BroadcastAnswer {
  readonly sid: string
  readonly sdp: string
  /** Names our current ICE credentials. */
  readonly iceSession: string
}

/**
 * Too many broadcast or take part already, altogether, of this person or in this channel; or the offer contains nothing that
 * can be forwarded.
 */
export type BroadcastRefusal = 'full' | 'personFull' | 'channelFull' | 'nothing'

/** How many programs may broadcast at the same time, of one person and in the rooms of one channel. */
export interface BroadcastLimits {
  readonly ofPerson: number
  readonly ofChannel: number
}

/** One broadcast of an account. */
export interface BroadcastId {
  readonly roomId: string
  readonly identity: string
  readonly sid: string
}

/** Without a `sid`, whichever broadcast the account has in the room. */
export type BroadcastSelector = Omit<BroadcastId, 'sid'> & { readonly sid?: string }

/** What a program says about its ICE while it broadcasts. */
export interface IceUpdate extends BroadcastId {
  /** The ICE session that the program knows; `*` for whichever there is. */
  readonly iceSession: string
  /** Its credentials, if it names them. */
  readonly credentials: IceCredentials | null
}

/** A fragment with our new credentials if the program has changed its own. */
export type IceUpdateAnswer =
  | 'unknown'
  | 'outdated'
  | 'noted'
  | { readonly fragment: string; readonly iceSession: string }
