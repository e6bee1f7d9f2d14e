import { PREFIX } from '#local-storage.ts'

/** What stays in this browser when someone signs out: settings of the device. Everything else belongs to the account. */
const DEVICE_KEYS = new Set(['theme', 'locale', 'members', 'notifications', 'voice', 'voice-chat', 'formatting'])

/** Where messages are stored until they are sent. */
export const OUTBOX_DATABASE = 'portico.outbox'

/** Where the files attached to unsent messages are stored. */
export const ATTACHMENTS_DATABASE = 'portico.attachments'

/** Removes what belongs to the account, such as drafts: the next person at this computer must not find it. */
export async function forgetAccount(): Promise<void> {
  const isOfDevice = (key: string): boolean => !key.startsWith(PREFIX) || DEVICE_KEYS.has(key.slice(PREFIX.length))
  try {
    for (const key of Object.keys(localStorage)) if (!isOfDevice(key)) localStorage.removeItem(key)
  } catch {
    // Storage is blocked, so nothing is stored.
  }
  await Promise.all([OUTBOX_DATABASE, ATTACHMENTS_DATABASE].map(deleteDatabase))
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.deleteDatabase(name)
      // Blocked: a tab that doesn't respond still has it open. It is deleted with that tab.
      for (const end of ['success', 'error', 'blocked']) request.addEventListener(end, () => resolve())
    } catch {
      resolve()
    }
  })
}
