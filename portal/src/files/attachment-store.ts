import type { UploadedFile } from '@portico/contract'
import { LocalDatabase, resultOf } from '#storage/local-database.ts'

/** What is known of a file that is attached to a message being written. */
export interface Attachment {
  readonly accountId: string
  readonly roomId: string
  readonly alt: string
  readonly size: number
  readonly uploaded?: UploadedFile | undefined
  /** In milliseconds since 1970. */
  readonly uploadedAt?: number | undefined
}

export interface StoredAttachment extends Attachment {
  readonly key: number
  readonly file: File
}

/** How much is stored in all rooms together, in bytes. */
const MOST_BYTES = 256 * 1024 ** 2
/** Under the same keys. Contents are apart, so that a description can change without writing them again. */
const FACTS = 'facts'
const CONTENTS = 'contents'

const database = new LocalDatabase('portico.attachments', (created) => {
  created.createObjectStore(FACTS, { autoIncrement: true })
  created.createObjectStore(CONTENTS)
})

/** The attached files of a room, in the order in which they were added. None if this browser stores nothing. */
export async function storedAttachments(
  of: Pick<Attachment, 'accountId' | 'roomId'>,
): Promise<readonly StoredAttachment[]> {
  try {
    return await database.transact('readonly', async (transaction) => {
      const facts = transaction.objectStore(FACTS)
      const contents = transaction.objectStore(CONTENTS)
      const [keys, all]: [IDBValidKey[], unknown[]] = await Promise.all([
        resultOf(facts.getAllKeys()),
        resultOf(facts.getAll()),
      ])
      const found = all.flatMap((one, index) => {
        const key = keys[index]
        const isOurs = isAttachment(one) && one.accountId === of.accountId && one.roomId === of.roomId
        return isOurs && typeof key === 'number' ? [{ ...one, key }] : []
      })
      const files: unknown[] = await Promise.all(found.map(({ key }) => resultOf<unknown>(contents.get(key))))
      return found.flatMap((one, index) => {
        const file = files[index]
        return file instanceof File ? [{ ...one, file }] : []
      })
    })
  } catch {
    return []
  }
}

/** Stores a file, and returns its key. Undefined if there is no space. */
export async function addAttachment(attachment: Attachment, file: File): Promise<number | undefined> {
  try {
    return await database.transact('readwrite', async (transaction) => {
      const facts = transaction.objectStore(FACTS)
      const stored: unknown[] = await resultOf(facts.getAll())
      const bytes = stored.filter(isAttachment).reduce((sum, { size }) => sum + size, 0)
      if (bytes + file.size > MOST_BYTES) return undefined
      const key = await resultOf(facts.add(attachment))
      await resultOf(transaction.objectStore(CONTENTS).add(file, key))
      return typeof key === 'number' ? key : undefined
    })
  } catch {
    return undefined
  }
}

/** Stores what has changed, unless another page has sent or removed the file meanwhile. */
export async function changeAttachment(key: number, attachment: Attachment): Promise<void> {
  await database
    .transact('readwrite', async (transaction) => {
      const facts = transaction.objectStore(FACTS)
      if ((await resultOf(facts.getKey(key))) !== undefined) await resultOf(facts.put(attachment, key))
    })
    .catch(() => undefined)
}

export async function dropAttachment(key: number): Promise<void> {
  await database
    .transact('readwrite', async (transaction) => {
      await Promise.all([FACTS, CONTENTS].map((store) => resultOf(transaction.objectStore(store).delete(key))))
    })
    .catch(() => undefined)
}

/** Removes the files of an account, or of all if it isn't known. */
export async function forgetAttachments(accountId: string | undefined): Promise<void> {
  await database
    .transact('readwrite', async (transaction) => {
      const facts = transaction.objectStore(FACTS)
      const [keys, all]: [IDBValidKey[], unknown[]] = await Promise.all([
        resultOf(facts.getAllKeys()),
        resultOf(facts.getAll()),
      ])
      const isOwn = (one: unknown): boolean =>
        accountId === undefined || (isAttachment(one) && one.accountId === accountId)
      for (const key of keys.filter((_, index) => isOwn(all[index])))
        for (const store of [FACTS, CONTENTS]) transaction.objectStore(store).delete(key)
    })
    .then(() => database.deleteIfEmpty())
    .catch(() => undefined)
}

function isAttachment(value: unknown): value is Attachment {
  if (typeof value !== 'object' || value === null) return false
  const { accountId, roomId, alt, size } = value as Record<string, unknown>
  return [accountId, roomId, alt].every((text) => typeof text === 'string') && typeof size === 'number'
}
