import type { RoomMessage, Speaker } from '@portico/contract'
import { tick } from 'svelte'
import { describe, expect, test } from 'vitest'
import { MessageWindow } from './message-window.svelte.ts'
import { showReaction } from './show-reaction.ts'

const ADA: Speaker = { id: 'ada', name: 'Ada', channelNickname: null, avatar: '', avatarVersion: 0, isBot: false }

function message(number: number): RoomMessage {
  const createdAt = new Date(number * 1000).toISOString()
  return { id: String(number).padStart(6, '0'), text: '', createdAt, author: ADA, mentions: [], reactions: [] }
}

function pageOf(from: number, to: number) {
  const messages = Array.from({ length: to - from + 1 }, (_, index) => message(from + index))
  return { messages, hasOlder: true, hasNewer: false, readUpTo: '' }
}

function opened(from: number, to: number): MessageWindow {
  const window = new MessageWindow('me')
  window.replace(pageOf(from, to))
  return window
}

function ends({ messages }: MessageWindow): number[] {
  return [Number(messages[0]?.id), Number(messages.at(-1)?.id)]
}

describe('a message window', () => {
  test('drops its beginning a page at a time while the reader is at the end', async () => {
    const window = opened(1, 350)
    window.arrive(message(351))
    await tick()
    expect(ends(window)).toEqual([52, 351])
    expect(window).toMatchObject({ hasOlder: true, hasNewer: false })
    window.arrive(message(352))
    await tick()
    expect(ends(window)).toEqual([52, 352])
  })

  test('keeps what the reader sees elsewhere, and counts what arrives', () => {
    const window = opened(1, 300)
    window.followed = false
    window.arrive(message(301))
    window.arrive(message(302))
    expect(ends(window)).toEqual([1, 300])
    expect(window).toMatchObject({ hasNewer: true, beyond: 2 })
  })

  test('merges the newest page, unless there is a gap', () => {
    const window = opened(1, 100)
    expect(window.merge(pageOf(60, 110))).toBe(true)
    expect(ends(window)).toEqual([1, 110])
    expect(window.messages).toHaveLength(110)
    expect(window.merge(pageOf(200, 249))).toBe(false)
    expect(ends(window)).toEqual([1, 110])
  })

  test('shows a reaction once, however often it is added', () => {
    const window = opened(1, 1)
    const { id } = message(1)
    showReaction(window, id, '👍', true)
    showReaction(window, id, '👍', true)
    expect(window.messages[0]?.reactions).toEqual([{ emoji: '👍', count: 1, mine: true }])
    showReaction(window, id, '👍', false)
    expect(window.messages[0]?.reactions).toEqual([])
  })
})
