import type { ElementHandle } from 'playwright-core'
import { wordsIn } from '../typed-texts.ts'
import type { Visitor } from '../visitor.ts'
import type { Scene, Step } from './step.ts'

const COMPOSER = '[data-landmark="composer"] textarea'

/** The message field, if there is one that can be written in. */
export async function composerOf({ page }: Visitor): Promise<ElementHandle | undefined> {
  const field = await page.$(COMPOSER)
  return field && (await field.isVisible()) && (await field.isEditable()) ? field : undefined
}

function sentence({ random, typed, place }: Visitor, kind: 'draft' | 'edit'): string {
  const word = typed.next(kind, place?.roomId)
  const shapes = [
    word,
    `**${word}** and more`,
    `\`${word}\``,
    `see ${word} https://example.org/x`,
    `${word} 🎉`,
    `тоже ${word}`,
  ]
  return random.pick(shapes) ?? word
}

/** Goes to a room in which people meet. */
async function composerElsewhere(visitor: Visitor, { portal }: Scene): Promise<ElementHandle | undefined> {
  const [channel] = portal.channels
  const room = visitor.random.pick(portal.rooms.filter((one) => one.channelId === channel?.id && one.type === 'text'))
  if (!room || visitor.random.chance(0.4)) return undefined
  await visitor.ask(`monkey.follow('/c/${room.channelId}/${room.id}')`)
  await visitor.page.locator(COMPOSER).waitFor({ state: 'visible' })
  return composerOf(visitor)
}

/** Types into the field that has the focus, and sometimes completes a name. */
export async function typeText(visitor: Visitor, kind: 'draft' | 'edit'): Promise<string> {
  const { random, page } = visitor
  // The focus may be in an edit by now, which may be given up.
  const isEdit = await visitor.ask<boolean>('monkey.beginTyping()')
  const typedKind = isEdit ? 'edit' : kind
  const text = sentence(visitor, typedKind)
  await page.keyboard.type(text, { delay: random.chance(0.3) ? 30 : 0 })
  if (kind === 'draft' && random.chance(0.25)) {
    await page.keyboard.type(random.pick([' @', ' @na', ' :smi', ' #qu', ' @ever']) ?? ' @')
    await page.waitForTimeout(random.between(0, 500))
    // Elsewhere Tab leaves the field.
    if (await page.locator(`${COMPOSER}[aria-controls]`).isVisible()) {
      await page.keyboard.press(random.pick(['Tab', 'ArrowDown', 'Escape', 'Enter']) ?? 'Tab')
    }
    await page.keyboard.type(' ')
  }
  if (random.chance(0.15)) {
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type(sentence(visitor, typedKind))
  }
  await noteInterruption(visitor, text)
  return text
}

/** The field may have lost the focus: then what was typed visibly went nowhere. */
async function noteInterruption(visitor: Visitor, text: string): Promise<void> {
  if (await visitor.ask<boolean>('monkey.isStillTyping()')) return
  const value = await visitor.ask<string | undefined>('monkey.focusedText()')
  visitor.typed.settle(wordsIn(text).filter((word) => !value?.includes(word)))
}

export async function send(visitor: Visitor): Promise<void> {
  const { isPhone, page, random } = visitor
  if (isPhone || random.chance(0.3)) {
    const button = page.locator('[data-landmark="composer"] button.send')
    await (isPhone ? button.tap() : button.click())
  } else await page.keyboard.press('Enter')
}

export async function focusComposer(visitor: Visitor, scene: Scene): Promise<boolean> {
  const field = (await composerOf(visitor)) ?? (await composerElsewhere(visitor, scene))
  if (!field) return false
  await (visitor.isPhone ? field.tap() : field.click())
  // At the end, so that nothing is typed into a word.
  await visitor.page.keyboard.press('Control+End')
  return true
}

export const write: Step = {
  name: 'write',
  weight: 16,
  run: async (visitor, scene) => {
    if (!(await focusComposer(visitor, scene))) return 'no message field'
    const text = await typeText(visitor, 'draft')
    const outcome = visitor.random.weighted({ send: 6, leave: 3, command: 1 })
    if (outcome === 'leave') return `left: ${text}`
    if (outcome === 'command' && (await visitor.page.locator(COMPOSER).inputValue()).startsWith('/')) return text
    await send(visitor)
    return `sent: ${text}`
  },
}

export const writeCommand: Step = {
  name: 'write a command',
  weight: 2,
  run: async (visitor, scene) => {
    if (!(await focusComposer(visitor, scene))) return 'no message field'
    if ((await visitor.page.locator(COMPOSER).inputValue()) !== '') return 'something is written'
    await visitor.page.keyboard.type('/ti')
    await visitor.page.waitForTimeout(300)
    // Without a connection there may be no list, and Tab leaves the field.
    if (await visitor.page.locator(`${COMPOSER}[aria-controls]`).isVisible()) await visitor.page.keyboard.press('Tab')
    const text = sentence(visitor, 'draft')
    await visitor.ask('monkey.beginTyping()')
    await visitor.page.keyboard.type(` ${text}`)
    await noteInterruption(visitor, text)
    await send(visitor)
    return text
  },
}

export const clear: Step = {
  name: 'clear the message field',
  weight: 2,
  run: async (visitor) => {
    const field = await composerOf(visitor)
    if (!field) return 'no message field'
    visitor.typed.settle(wordsIn(await field.inputValue()))
    await field.fill('')
    return 'cleared'
  },
}

export const editLast: Step = {
  name: 'edit the last message',
  weight: 6,
  run: async (visitor, scene) => {
    const { page, random, isPhone } = visitor
    const field = await composerOf(visitor)
    if (!field || (await field.inputValue()) !== '') return 'something is written'
    await field.focus()
    await page.keyboard.press('ArrowUp')
    const edit = page.locator('article[data-key] textarea').first()
    await edit.waitFor({ state: 'visible' })
    visitor.typed.settle(wordsIn(await edit.inputValue()))
    await edit.fill('')
    await edit.focus()
    const text = await typeText(visitor, 'edit')
    const outcome = random.weighted({ save: 5, giveUp: 2, leave: 3, deleted: 2 })
    if (outcome === 'save') {
      if (isPhone) await page.locator('article[data-key] .body button').last().tap()
      else await page.keyboard.press('Enter')
      // While it is being saved.
      if (random.chance(0.4)) await typeText(visitor, 'edit')
    } else if (outcome === 'deleted') await deleteLastOf(visitor, scene)
    else if (outcome === 'giveUp') {
      visitor.typed.settleAll('edit')
      await page.keyboard.press('Escape')
    }
    return `${outcome}: ${text}`
  },
}

/** Someone else deletes what this person wrote last in this room, which is what they are editing. */
async function deleteLastOf({ place, api, page }: Visitor, { portal }: Scene): Promise<void> {
  if (!place) return
  const { channelId, roomId } = place
  const { owner } = portal.people
  const { body, status } = await owner.call<{ messages: { id: string; author: { id: string } }[] }>(
    'GET',
    `/rooms/${roomId}/history?limit=100`,
  )
  const message = status < 300 ? body.messages.findLast(({ author }) => author.id === api.id) : undefined
  if (message) await owner.call('DELETE', `/rooms/${roomId}/messages/${message.id}`, { channelId })
  await page.waitForTimeout(500)
}

export const typeAnywhere: Step = {
  name: 'type while a dialog opens',
  weight: 3,
  run: async (visitor) => {
    const { page, random, typed } = visitor
    const keys = random.pick(['Control+k', 'Control+/', 'Control+Shift+f', 'F6']) ?? 'Control+k'
    // What is typed goes wherever the focus is by then: into a field, or nowhere.
    const text = typed.unique()
    // Not before the keys are up again: with Ctrl, a letter would undo what was written.
    await page.keyboard.press(keys)
    await page.keyboard.type(text)
    return `${keys} and ${text}`
  },
}
