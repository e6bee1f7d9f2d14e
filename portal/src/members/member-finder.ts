import type { Member, MemberDetails } from '@portico/contract'
import { api } from '#api/api.ts'

export interface Pickable {
  readonly id: string
  readonly name: string
  readonly channelNickname: string | null
  readonly avatar: string
  readonly avatarVersion: number
  /** Absent outside channels. */
  readonly isBot?: boolean
  /** Absent outside channels. */
  readonly roles?: Member['roles']
}

/** A source of people to choose from by name. */
export interface MemberFinder<Person extends Pickable> {
  /** Part of the query key. */
  readonly key: readonly string[]
  readonly find: (text: string, signal: AbortSignal) => Promise<{ members: Person[] }>
}

/** The members of a channel. */
export function memberFinder(channelId: string): MemberFinder<MemberDetails> {
  return {
    key: ['of-channel', channelId, 'found-members', 'to-pick'],
    find: (text, signal) => api.findMembers({ channelId, text, limit: 20 }, { signal }),
  }
}
