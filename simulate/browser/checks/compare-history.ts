import { wordsIn } from '../typed-texts.ts'
import type { ShownRow } from '../view.ts'

export interface KnownMessage {
  readonly id: string
  readonly text: string
}

export interface KnownPage {
  readonly messages: readonly KnownMessage[]
  readonly hasNewer: boolean
}

/** What is wrong about the rows of a room, compared with a part of its history that contains them. */
export function compareHistory(
  rows: readonly ShownRow[],
  { messages, hasNewer }: KnownPage,
  isAtEnd: boolean,
): string | undefined {
  const sent = rows.filter(({ isUnsent, isInView }) => !isUnsent && isInView)
  const positions = positionsOf(sent, messages)
  const unknown = positions.indexOf(-1)
  if (unknown >= 0) return `a message is shown that isn’t in the history: ${shorten(sent[unknown])}`
  for (const [index, position] of positions.entries()) {
    const before = positions[index - 1]
    if (before === undefined || position === before + 1) continue
    if (position === before) return `a message is shown twice: ${shorten(sent[index])}`
    if (position < before) return `messages are not in order: ${shorten(sent[index])}`
    return `a message is missing: ${messages[before + 1]?.text.slice(0, 60) ?? ''}`
  }
  const last = positions.at(-1)
  if (isAtEnd && !hasNewer && last !== undefined && last < messages.length - 1) {
    return `the newest message is missing: ${messages.at(-1)?.text.slice(0, 60) ?? ''}`
  }
  const outdated = sent.find((row, index) => !row.isEdited && !showsText(row, messages[positions[index] ?? -1]))
  return outdated && `a message has another text: ${shorten(outdated)}`
}

function positionsOf(rows: readonly ShownRow[], messages: readonly KnownMessage[]): number[] {
  const positions = rows.map((row) => positionOf(row, messages))
  // Of a message that is being edited, neither the id nor the text may be known: it is where its neighbors say.
  for (const [index, row] of rows.entries()) {
    const neighbor = index > 0 ? (positions[index - 1] ?? -2) + 1 : (positions[1] ?? 1) - 1
    if (row.isEdited && positions[index] === -1) positions[index] = neighbor
  }
  return positions
}

function positionOf({ key, text }: ShownRow, messages: readonly KnownMessage[]): number {
  const byId = messages.findIndex(({ id }) => id === key)
  const [word] = wordsIn(text)
  // The key of a message that was sent here is not its id.
  return byId >= 0 || word === undefined ? byId : messages.findIndex((message) => message.text.includes(word))
}

/** Of a picture, the name isn’t shown. */
const PICTURE = /!\[[^\]]*\]\([^)]*\)/g

function showsText(row: ShownRow, message: KnownMessage | undefined): boolean {
  const shown = new Set(wordsIn(row.text))
  return message !== undefined && wordsIn(message.text.replaceAll(PICTURE, '')).every((word) => shown.has(word))
}

function shorten(row: ShownRow | undefined): string {
  return row?.text.slice(0, 60) ?? ''
}
