import { setTimeout as sleep } from 'node:timers/promises'
import { wordsIn } from '../typed-texts.ts'
import type { ShownRow, View } from '../view.ts'
import type { Visitor } from '../visitor.ts'

/** In milliseconds: how long closing may take. */
const CLOSES_WITHIN = 4000
const TRIES = 4
const PAUSE = 900
/** Which share of what opens is closed at once. The rest stays for the next steps. */
const CLOSED_AT_ONCE = 0.5

/** What must be true after each step. */
export async function checkStep(visitor: Visitor): Promise<void> {
  const view = await visitor.view()
  if (view.address.startsWith('/sign-in')) return
  checkPage(visitor, view)
  if (view.overflow) await checkWidth(visitor)
  for (const problem of problemsOfRows(view.rows)) visitor.violated('messages', problem)
  await checkTyped(visitor)
  await checkLayers(visitor, view)
}

/** What slides in is wider for a moment. */
async function checkWidth(visitor: Visitor): Promise<void> {
  const isOver = visitor.patience(PAUSE)
  for (;;) {
    await sleep(PAUSE)
    const { overflow } = await visitor.view()
    if (!overflow) return
    if (isOver()) return visitor.violated('width', `${overflow.by}px too wide: ${overflow.widest}`)
  }
}

function checkPage(visitor: Visitor, { errors, isBlank, address }: View): void {
  if (visitor.isMachineBusy) visitor.wasDisturbed = true
  if (isBlank && !visitor.mayFail) visitor.violated('error page', `nothing is shown at ${visitor.usage.plain(address)}`)
  const wrong = new Set([visitor.text('not_found_title')])
  if (!visitor.wasDisturbed) wrong.add(visitor.text('error_title'))
  const shown = errors.find((heading) => wrong.has(heading))
  if (shown !== undefined) visitor.violated('error page', `“${shown}” at ${visitor.usage.plain(address)}`)
}

/** What is wrong about the messages as they are shown, without asking the server. */
export function problemsOfRows(rows: readonly ShownRow[]): string[] {
  const problems: string[] = []
  const keys = new Set<string>()
  const words = new Map<string, string>()
  let last = ''
  for (const { key, time, text, isUnsent, isEdited } of rows) {
    if (keys.has(key)) problems.push('a message is shown twice')
    keys.add(key)
    for (const word of isEdited ? [] : new Set(wordsIn(text))) {
      if (words.has(word)) problems.push('a text is shown in two messages')
      words.set(word, key)
    }
    if (isUnsent) continue
    if (time < last) problems.push('messages are not in order')
    last = time
  }
  return [...new Set(problems)]
}

/** Nothing that was typed is lost, wherever it is now. */
export async function checkTyped(visitor: Visitor): Promise<void> {
  if (visitor.typed.pending.length === 0) return
  const isOver = visitor.patience(TRIES * PAUSE)
  for (let attempt = 1; ; attempt += 1) {
    const missing = visitor.typed.missingFrom(await textsOf(visitor, attempt > 1))
    if (missing.length === 0) return
    if (attempt < TRIES || !isOver()) {
      await sleep(PAUSE)
      continue
    }
    visitor.typed.settle(missing.map(({ word }) => word))
    for (const { word, kind, roomId } of missing) {
      const isReadable = roomId === undefined || (await visitor.mayRead(roomId))
      if (isReadable) visitor.violated('typed', `a text is lost (${kind} ${word})`)
    }
    return
  }
}

async function textsOf(visitor: Visitor, withStores: boolean): Promise<string[]> {
  const texts: string[] = []
  for (const tab of visitor.openTabs) {
    const { fields, waiting, stored, rows } = await visitor.view(tab)
    texts.push(...fields, waiting, stored, ...rows.filter(({ isUnsent }) => isUnsent).map(({ text }) => text))
    if (withStores) texts.push((await visitor.stores(tab)).outbox)
  }
  return texts
}

async function checkLayers(visitor: Visitor, { layers }: View): Promise<void> {
  const top = layers.at(-1)
  const isNew = top !== undefined && !visitor.knownLayers.has(top.id)
  visitor.knownLayers = new Set(layers.map(({ id }) => id))
  if (!isNew || top.isPersistent || !visitor.random.chance(CLOSED_AT_ONCE)) return
  await closeTop(visitor, top)
}

/** Presses Esc, which must close what is on top. */
export async function closeTop(visitor: Visitor, { id, title, kind }: View['layers'][number]): Promise<void> {
  // An edit that has the focus, under a popover, is given up first.
  visitor.typed.settleAll('edit')
  await visitor.page.keyboard.press('Escape')
  let view = await viewWithout(visitor, id)
  if (kind === 'popover' && view.layers.some((layer) => layer.id === id)) {
    await visitor.page.keyboard.press('Escape')
    view = await viewWithout(visitor, id)
  }
  const name = visitor.usage.plain(title)
  if (view.layers.some((layer) => layer.id === id)) {
    visitor.violated('dialogs', `the ${kind} “${name}” doesn’t close with Esc`)
    // The screenshot shows it.
    await sleep(PAUSE)
    await visitor.startOver()
  } else if (view.focus === 'nowhere') visitor.violated('dialogs', `the focus is nowhere after the ${kind} “${name}”`)
}

/** What is shown once this layer is gone, or when it should be. */
async function viewWithout(visitor: Visitor, id: number): Promise<View> {
  const isOver = visitor.patience(CLOSES_WITHIN)
  let view = await visitor.view()
  while (view.layers.some((layer) => layer.id === id) && !isOver()) {
    await sleep(150)
    view = await visitor.view()
  }
  return view
}
