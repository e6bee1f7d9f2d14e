import { wordsIn } from '../typed-texts.ts'
import type { Control } from '../view.ts'
import type { Visitor } from '../visitor.ts'
import type { Step } from './step.ts'

/** What would end the run for someone, by the keys of its texts. Everything else is pressed. */
const FORBIDDEN = [
  'settings_delete_for_good',
  'settings_password_submit',
  'administration_disable',
  'administration_set_password',
  'administration_end_sessions',
  'administration_demote',
  'administration_promote',
  'channel_settings_transfer_action',
  'channel_settings_transfer',
  'settings_end_all',
] as const

/** What gives up a text on purpose. */
const GIVES_UP = ['message_discard', 'cancel'] as const
const MOST_PRESSES = 6

export const press: Step = {
  name: 'press',
  weight: 34,
  run: async (visitor) => {
    const control = await choose(visitor, ({ isField, role }) => !isField && role !== 'file')
    if (!control) return 'nothing'
    return pressControl(visitor, control)
  },
}

export const fill: Step = {
  name: 'fill',
  weight: 7,
  run: async (visitor) => {
    const isOther = ({ isField, within, role }: Control): boolean =>
      isField && within !== 'composer' && !['password', 'color', 'hidden'].includes(role)
    const control = await choose(visitor, isOther)
    if (!control) return 'nothing'
    return fillControl(visitor, control)
  },
}

async function choose(visitor: Visitor, fits: (control: Control) => boolean): Promise<Control | undefined> {
  const forbidden = new Set(FORBIDDEN.map((key) => visitor.text(key)))
  const possible = (await visitor.controls()).filter((control) => fits(control) && !forbidden.has(control.name))
  for (const control of possible) visitor.usage.see(keyOf(visitor, control))
  return visitor.usage.pick(visitor.random, possible, (control) => keyOf(visitor, control))
}

function keyOf({ usage }: Visitor, { role, name, within }: Control): string {
  if (role === 'article') return 'article'
  return `${usage.plain(within)}: ${role} “${usage.plain(name)}”`
}

export async function pressControl(visitor: Visitor, control: Control): Promise<string> {
  const { random, page, usage } = visitor
  const key = keyOf(visitor, control)
  usage.use(key)
  if (control.role === 'link') visitor.noteInterruption()
  await giveUp(visitor, control)
  const element = await visitor.element(control.index)
  // Text must be selectable in a message: pressing it means to focus it.
  const way = random.weighted({ press: 12, twice: 1, often: 1, key: 2, menu: 1 })
  if (way === 'key') {
    await element.focus()
    await page.keyboard.press(random.chance(0.5) ? 'Enter' : 'Space')
  } else if (way === 'menu' && !visitor.isPhone) await element.click({ button: 'right' })
  else if (way === 'twice' && !visitor.isPhone) await element.dblclick()
  else {
    const times = way === 'often' ? 2 + random.integer(MOST_PRESSES - 1) : 1
    for (let count = 0; count < times; count += 1) {
      if (visitor.isPhone) await element.tap({ noWaitAfter: true })
      else await element.click({ noWaitAfter: true })
    }
  }
  return `${key} (${way})`
}

async function giveUp(visitor: Visitor, { name, within }: Control): Promise<void> {
  // Takes a file out of the message.
  if (within === 'composer' || within === visitor.text('files_attached')) visitor.typed.settle(wordsIn(name))
  const names = GIVES_UP.map((key) => visitor.text(key))
  if (!names.includes(name) && within !== visitor.text('message_actions')) return
  const { rows, fields, composer } = await visitor.view()
  if (name === visitor.text('message_discard')) {
    visitor.typed.settle(rows.filter(({ isUnsent }) => isUnsent).flatMap(({ text }) => wordsIn(text)))
  } else visitor.typed.settle(fields.filter((text) => text !== composer).flatMap(wordsIn))
}

async function fillControl(visitor: Visitor, control: Control): Promise<string> {
  const { random, page, usage, typed } = visitor
  const key = keyOf(visitor, control)
  usage.use(key)
  const element = await visitor.element(control.index)
  if (control.role === 'select') {
    const value = random.pick(await visitor.ask<string[]>(`monkey.optionsOf(${control.index})`))
    if (value !== undefined) await element.selectOption(value)
    return `${key}: ${value}`
  }
  if (control.role === 'range' || control.role === 'slider') {
    await element.focus()
    await page.keyboard.press(random.pick(['ArrowRight', 'ArrowLeft', 'Home', 'End', 'PageUp']) ?? 'End')
    return key
  }
  if (['date', 'time', 'datetime-local'].includes(control.role)) {
    await element.focus()
    await page.keyboard.type('12122026')
    return key
  }
  // In the text of a message that is edited, what was typed before is replaced.
  typed.settle(wordsIn((await element.inputValue().catch(() => '')) ?? ''))
  const text = control.role === 'number' ? String(random.integer(100)) : valueFor(visitor)
  const valueOf = (): Promise<string | undefined> => visitor.ask(`monkey.valueOf(${control.index})`)
  await element.fill(text)
  if ((await valueOf()) !== text) return `${key}: changed at once`
  // A dialog that is drawn again must not lose what is in its fields.
  await page.waitForTimeout(random.between(50, 600))
  const kept = await valueOf()
  if (kept !== undefined && kept !== text) visitor.violated('typed', `${key} had “${text}”, and has “${kept}” now`)
  return `${key}: ${text}`
}

/** What people type into fields: names, words of messages, and nonsense. */
function valueFor({ random, typed }: Visitor): string {
  return (
    random.pick([typed.unique(), 'fog', 'quay', 'https://example.org/hook', 'Лена', '', '   ', 'a'.repeat(120)]) ??
    typed.unique()
  )
}
