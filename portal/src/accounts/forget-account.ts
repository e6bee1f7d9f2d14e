import { forgetAttachments } from '#files/attachment-store.ts'
import { forgetCopy } from '#offline/forget-copy.ts'
import { PREFIX, isStrings, readStored, writeStored } from '#storage/local-storage.ts'
import { forgetMessages } from '#messages/outbox-store.ts'

/** What stays in this browser when someone signs out: settings of the device. Everything else belongs to the account. */
const DEVICE_KEYS = new Set(['theme', 'locale', 'members', 'notifications', 'voice', 'voice-chat', 'formatting'])
const DRAFTS = 'drafts'
/** Followed by the id of an account that isn't signed in. */
const LEFT_DRAFTS = 'drafts of '

/**
 * Removes what belongs to the account that signs out, such as drafts: the next person at this computer must not find it.
 * What others have left unsent waits for them.
 */
export async function forgetAccount(accountId: string | undefined): Promise<void> {
  removeStored()
  await Promise.all([forgetMessages(accountId), forgetAttachments(accountId), forgetCopy()])
}

/**
 * Someone else has signed in. What the account before has written and not sent stays for its author alone: nobody else
 * sees or sends it. Everything else is removed.
 */
export function replaceAccount(before: string | undefined, accountId: string): void {
  const left = readStored(DRAFTS, isStrings)
  const own = readStored(LEFT_DRAFTS + accountId, isStrings)
  removeStored()
  if (left && before !== undefined) writeStored(LEFT_DRAFTS + before, left)
  if (own) {
    localStorage.removeItem(PREFIX + LEFT_DRAFTS + accountId)
    writeStored(DRAFTS, own)
  }
  void forgetCopy()
}

function removeStored(): void {
  const stays = (key: string): boolean => DEVICE_KEYS.has(key) || key.startsWith(LEFT_DRAFTS)
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(PREFIX) && !stays(key.slice(PREFIX.length))) localStorage.removeItem(key)
  } catch {
    // Storage is blocked, so nothing is stored.
  }
}
