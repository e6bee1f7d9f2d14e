import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BOTS, type BotKey } from './bots.ts'
import { PEOPLE, type PersonKey } from './people.ts'

export type Speaker = PersonKey | BotKey

/** A message in a room. */
export interface Said {
  readonly who: Speaker
  /** In milliseconds since 1970. */
  readonly at: number
  text: string
  /** A name within the room, for replies to it. */
  readonly label?: string
  readonly answers?: string
  readonly reactions: { readonly emoji: string; readonly by: readonly Speaker[] }[]
  pinned: boolean
  editedAt?: number
}

const MINUTE = 60_000

/**
 * The messages of a room, in order. The files read like a transcript:
 *
 *     == 2 days ago, 10:10            or: == 170 minutes ago
 *     +4 boris #label @answered: The first line of a message, four minutes after the one before.
 *     | Its second line.
 *     * 👍 ada chen                   or: * pinned, * edited 3
 */
export function readConversations(file: string, now: Date): Said[] {
  const text = readFileSync(join(import.meta.dirname, 'conversations', `${file}.txt`), 'utf8')
  const said: Said[] = []
  let clock = 0
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue
    const last = said.at(-1)
    if (line.startsWith('==')) clock = beginning(line, now)
    else if (line.startsWith('+')) {
      const { minutes, ...spoken } = spokenIn(line)
      clock += minutes * MINUTE
      said.push({ ...spoken, at: clock, reactions: [], pinned: false })
    } else if (last && line.startsWith('|')) last.text += `\n${line.slice(2)}`
    else if (last && line.startsWith('* ')) note(last, line.slice(2))
    else throw new Error(`${file}.txt, line ${index + 1}: ${line}`)
  }
  return said
}

/** A time on an earlier day, or some minutes ago. */
function beginning(line: string, now: Date): number {
  const lately = /^== (\d+) minutes ago$/.exec(line)
  if (lately) return now.getTime() - Number(lately[1]) * MINUTE
  const [, days, hours, minutes] = /^== (\d+) days ago, (\d\d):(\d\d)$/.exec(line)?.map(Number) ?? []
  if (days === undefined) throw new Error(`not a time: ${line}`)
  const day = new Date(now)
  day.setDate(day.getDate() - days)
  return day.setHours(hours ?? 0, minutes ?? 0, 0, 0)
}

function spokenIn(line: string) {
  const match = /^\+([\d.]+) (\w+)(?: #(\w+))?(?: @(\w+))?: (.+)$/.exec(line)
  if (!match) throw new Error(`nobody speaks in: ${line}`)
  const [, minutes, who = '', label, answers, text = ''] = match
  return {
    minutes: Number(minutes),
    who: speaker(who),
    text,
    ...(label !== undefined && { label }),
    ...(answers !== undefined && { answers }),
  }
}

function note(said: Said, text: string): void {
  const [word = '', ...rest] = text.split(' ')
  if (word === 'pinned') said.pinned = true
  else if (word === 'edited') said.editedAt = said.at + Number(rest[0]) * MINUTE
  else said.reactions.push({ emoji: word, by: rest.map(speaker) })
}

function speaker(word: string): Speaker {
  if (isKey(PEOPLE, word) || isKey(BOTS, word)) return word
  throw new Error(`nobody is called ${word}`)
}

function isKey<T extends object>(table: T, word: string): word is keyof T & string {
  return Object.hasOwn(table, word)
}
