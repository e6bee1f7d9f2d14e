import type { Call } from '../history/history.ts'
import { markOf } from './marks.ts'

/** A message in a page of history, with as much of its text as identifies it; with all of it while it is written. */
export interface ReadMessage {
  readonly id: string
  readonly text: string
  readonly createdAt: string
  readonly authorId: string
  readonly pinnedAt?: string
  readonly streaming?: 'writing' | 'interrupted'
  readonly reactions?: readonly { readonly emoji: string; readonly count: number }[]
}

export interface ReadPage {
  readonly messages: readonly ReadMessage[]
  readonly hasMore?: boolean
}

interface Listed {
  readonly id: string
  readonly text: string
  readonly createdAt: string
  readonly author?: { readonly id: string }
  readonly pinnedAt?: string
  readonly streaming?: 'writing' | 'interrupted'
  readonly reactions?: readonly { readonly emoji: string; readonly count: number }[]
}

/** What checks need of an answer: an hour’s pages of history must fit into memory. */
export function compactBody({ operation, isFinal }: Pick<Call, 'operation' | 'isFinal'>, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || 'error' in body) return body
  switch (operation) {
    case 'read':
    case 'readHistory':
      return 'messages' in body ? pageOf(body as ListedPage, isFinal === true) : body
    case 'listMembers':
      return isFinal ? body : membersOf(body)
    case 'listRoles':
      return rolesOf(body)
    case 'listRooms':
      return roomsOf(body)
    case 'search':
    case 'exportData':
      return {}
    default:
      return body
  }
}

interface ListedPage {
  readonly messages: readonly Listed[]
  readonly hasMore?: boolean
  /** What the portal calls it. */
  readonly hasOlder?: boolean
}

function pageOf({ messages, hasOlder, hasMore = hasOlder }: ListedPage, isWhole: boolean): ReadPage {
  return {
    messages: messages.map(({ id, text, createdAt, author, pinnedAt, streaming, reactions }) => ({
      id,
      text: isWhole || streaming ? text : markOf(text),
      createdAt,
      authorId: author?.id ?? '',
      ...(pinnedAt !== undefined && { pinnedAt }),
      ...(streaming && { streaming }),
      ...(reactions?.length && { reactions: reactions.map(({ emoji, count }) => ({ emoji, count })) }),
    })),
    ...(hasMore !== undefined && { hasMore }),
  }
}

function membersOf({ members, hasMore }: { members?: { id: string }[]; hasMore?: boolean }): object {
  return { members: members?.map(({ id }) => ({ id })), hasMore }
}

function rolesOf({ roles }: { roles?: { id: string; systemName: string; rights: string[] }[] }): object {
  return { roles: roles?.map(({ id, systemName, rights }) => ({ id, systemName, rights })) }
}

interface ListedRoom {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly private?: boolean
  readonly users?: readonly { readonly id: string }[]
}

function roomsOf({ rooms }: { rooms?: ListedRoom[] }): object {
  return {
    rooms: rooms?.map(({ id, name, type, private: isPrivate, users }) => ({
      id,
      name,
      type,
      ...(isPrivate && { private: true }),
      ...(users && { users: users.map((user) => ({ id: user.id })) }),
    })),
  }
}
