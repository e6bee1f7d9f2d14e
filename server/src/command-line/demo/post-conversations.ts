import { insertPastMessages } from '../../messages/insert-past-messages.ts'
import { fullEmoji } from '../../messages/emoji.ts'
import type { Tx } from '../../operations/transaction.ts'
import { idAt } from './id-at.ts'
import type { MadeChannel, MadeRoom } from './make-channel.ts'
import { readConversations, type Said, type Speaker } from './conversations.ts'

/** Fills a room with messages of the last days. Inserted as rows, because messages can't be sent in the past. */
export async function postConversations(
  tx: Tx,
  channel: MadeChannel,
  room: MadeRoom,
  idOf: (speaker: Speaker) => string,
): Promise<void> {
  if (!room.plan.conversation) return
  const said = readConversations(room.plan.conversation, new Date()).map((one) => ({ ...one, id: idAt(one.at) }))
  const labels = new Map(said.flatMap(({ label, id }) => (label === undefined ? [] : [[label, id]])))

  const messages = said.map(({ id, who, text, at, answers, pinned, editedAt }) => ({
    id,
    channel_id: channel.id,
    room_id: room.id,
    author_id: idOf(who),
    text,
    reply_to_id: answers === undefined ? null : answered(labels, answers),
    created_at: instant(at),
    edited_at: editedAt === undefined ? null : instant(editedAt),
    pinned_at: pinned ? instant(at + PIN_DELAY) : null,
  }))
  const reactions = said.flatMap((one) => reactionsTo(one, idOf))
  await insertPastMessages(tx.db, messages, reactions)
}

const PIN_DELAY = 30_000
const REACTION_DELAY = 20_000

function reactionsTo({ id, at, reactions }: Said & { id: string }, idOf: (speaker: Speaker) => string) {
  return reactions
    .flatMap(({ emoji, by }) => by.map((who) => ({ emoji: fullEmoji(emoji), who })))
    .map(({ emoji, who }, index) => ({
      message_id: id,
      emoji,
      account_id: idOf(who),
      created_at: instant(at + (index + 1) * REACTION_DELAY),
    }))
}

function answered(labels: ReadonlyMap<string | undefined, string | undefined>, label: string): string {
  const id = labels.get(label)
  if (!id) throw new Error(`nothing was said that is called ${label}`)
  return id
}

function instant(time: number): string {
  return new Date(time).toISOString()
}
