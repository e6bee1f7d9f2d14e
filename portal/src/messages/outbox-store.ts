import type { ErrorBody } from '@portico/contract'
import { readStored, writeStored } from '#local-storage.ts'
import type { Quoted } from './outbox.svelte.ts'

/** A message that the server hasn't acknowledged, as this browser stores it. */
export interface StoredMessage {
  readonly key: string
  readonly channelId: string
  readonly roomId: string
  readonly text?: string | undefined
  readonly typed: string
  readonly replyTo?: Quoted | undefined
  readonly createdAt: string
  /** Its id, if it was seen among the new messages and only the server's answer is missing. */
  readonly sentAs?: string | undefined
  /** The server's refusal. */
  readonly refusal?: { readonly httpStatus: number; readonly body: ErrorBody } | undefined
}

interface Stored {
  readonly accountId: string
  readonly messages: readonly StoredMessage[]
}

const KEY = 'unsent'
/** Far more than anyone writes without a connection, and well below what a browser stores for a website. */
const MAX_MESSAGES = 50
const MAX_AGE_MS = 7 * 24 * 3_600_000

/** The stored messages of an account, in the order in which they were written. Never those of another account. */
export function storedMessages(accountId: string): readonly StoredMessage[] {
  const stored = readStored(KEY, isStored)
  if (stored?.accountId !== accountId) return []
  const oldest = new Date(Date.now() - MAX_AGE_MS).toISOString()
  return stored.messages.filter(({ createdAt }) => createdAt >= oldest)
}

/** Stores a message after the others, or in place of its earlier version. Returns false if that failed. */
export function storeMessage(accountId: string, message: StoredMessage): boolean {
  const messages = storedMessages(accountId)
  const index = messages.findIndex(({ key }) => key === message.key)
  if (index < 0 && messages.length >= MAX_MESSAGES) return false
  const changed = index < 0 ? [...messages, message] : messages.with(index, message)
  return writeStored(KEY, { accountId, messages: changed } satisfies Stored)
}

export function dropStored(accountId: string, key: string): void {
  const messages = storedMessages(accountId)
  const left = messages.filter((message) => message.key !== key)
  if (left.length < messages.length) writeStored(KEY, { accountId, messages: left } satisfies Stored)
}

function isStored(value: unknown): value is Stored {
  if (typeof value !== 'object' || value === null) return false
  const { accountId, messages } = value as Partial<Stored>
  return typeof accountId === 'string' && Array.isArray(messages) && messages.every(isStoredMessage)
}

function isStoredMessage(value: unknown): value is StoredMessage {
  if (typeof value !== 'object' || value === null) return false
  const message = value as Record<string, unknown>
  return ['key', 'channelId', 'roomId', 'typed', 'createdAt'].every((name) => typeof message[name] === 'string')
}
