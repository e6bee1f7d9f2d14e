import { setTimeout as sleep } from 'node:timers/promises'
import type { Member, OwnChannel, Room, RoomReadState } from '@portico/contract'
import type { Page } from 'playwright-core'
import { markOf } from '../found-portal.ts'
import type { Scene } from '../steps/step.ts'
import type { Stores, View } from '../view.ts'
import type { Rule } from '../violation.ts'
import type { Visitor } from '../visitor.ts'
import { checkTyped, closeTop } from './check-step.ts'
import { compareHistory, type KnownPage } from './compare-history.ts'

/** In milliseconds: what a page must agree with the server about by then, when nobody does anything. */
const AGREES_WITHIN = 25_000
const PAUSE = 1000
const MOST_LAYERS = 6
const MOST_VISITS = 2
/** In milliseconds: for how long the end of a room is looked at. */
const READ_WITHIN = 1200
const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

/** Compares what a person sees with what the server has, while nobody acts and nothing fails. */
export async function checkCalm(visitor: Visitor, scene: Scene): Promise<void> {
  if (visitor.address.startsWith('/sign-in')) await visitor.signIn()
  await closeAll(visitor)
  await agrees(visitor, 'error page', () => failedPart(visitor))
  for (const tab of visitor.openTabs) await agrees(visitor, 'messages', () => differingMessages(visitor, tab))
  await readRooms(visitor)
  await agrees(visitor, 'counts', () => differingMarks(visitor))
  for (const tab of visitor.openTabs) await agrees(visitor, 'counts', () => differingPresence(visitor, tab))
  for (const tab of visitor.openTabs) await agrees(visitor, 'private', () => remaining(visitor, tab, scene))
  await checkTyped(visitor)
}

/** Waits until there is no difference. */
async function agrees(visitor: Visitor, rule: Rule, difference: () => Promise<string | undefined>): Promise<void> {
  const isOver = visitor.patience(AGREES_WITHIN)
  for (;;) {
    const found = await difference()
    if (found === undefined) return
    if (isOver()) return visitor.violated(rule, found)
    await sleep(PAUSE)
  }
}

async function closeAll(visitor: Visitor): Promise<void> {
  for (let count = 0; count < MOST_LAYERS; count += 1) {
    const top = (await visitor.view()).layers.at(-1)
    if (!top) return
    if (top.isPersistent) return visitor.startOver()
    await closeTop(visitor, top)
  }
}

/** A part that failed because of the simulation is repaired by trying again. */
async function failedPart(visitor: Visitor): Promise<string | undefined> {
  const { errors, address } = await visitor.view()
  const title = [visitor.text('error_title'), visitor.text('no_connection')].find((one) => errors.includes(one))
  if (title === undefined) return undefined
  await visitor.page
    .getByRole('button', { name: visitor.text('retry') })
    .first()
    .click({ noWaitAfter: true })
    .catch(() => undefined)
  return `“${title}” stays at ${visitor.usage.plain(address)}`
}

async function differingMessages(visitor: Visitor, tab: Page): Promise<string | undefined> {
  const { rows, isAtEnd, address } = await visitor.view(tab)
  const roomId = roomOf(address)
  if (roomId === undefined || rows.length === 0) return undefined
  const known = rows.filter(({ key, isUnsent, isInView }) => ID.test(key) && !isUnsent && isInView)
  const middle = known[Math.floor(known.length / 2)]
  // Of what was sent here, the id isn’t known, so nothing tells where in the history this is.
  if (!isAtEnd && !middle) return undefined
  const around = middle && !isAtEnd ? `&aroundId=${middle.key}` : ''
  const answer = await visitor.api.call<KnownPage>('GET', `/rooms/${roomId}/history?limit=100${around}`)
  // Who may not read shows nothing, which is checked for private rooms.
  if (answer.status >= 300) return undefined
  return compareHistory(rows, answer.body, isAtEnd)
}

function roomOf(address: string): string | undefined {
  const [, part, , roomId] = address.split(/[/?]/)
  return part === 'c' && roomId !== undefined && ID.test(roomId) ? roomId : undefined
}

/**
 * Reads other rooms, first of all what is unread: nothing else happens now that would bring their messages and marks up to
 * date.
 */
async function readRooms(visitor: Visitor): Promise<void> {
  const { page, random } = visitor
  const before = visitor.place
  const others = random.some(await visitor.shownRooms(), 0.5).filter(({ isCurrent }) => !isCurrent)
  const chosen = others.toSorted((one, other) => Number(other.isUnread) - Number(one.isUnread)).slice(0, MOST_VISITS)
  for (const { roomId } of chosen) {
    const path = await page.locator(`a[href$="/${roomId}"]`).first().getAttribute('href')
    await visitor.ask(`monkey.follow('${path ?? '/'}')`)
    const list = page.locator('[data-landmark="messages"]').first()
    const isShown = await list.waitFor({ state: 'visible' }).then(
      () => true,
      () => false,
    )
    if (!isShown) continue
    await visitor.ask("monkey.scroll('end')")
    await sleep(READ_WITHIN)
    await agrees(visitor, 'messages', () => differingMessages(visitor, page))
  }
  if (chosen.length > 0 && before) await visitor.ask(`monkey.follow('/c/${before.channelId}/${before.roomId}')`)
}

async function differingMarks(visitor: Visitor): Promise<string | undefined> {
  const shown = await visitor.shownRooms()
  if (shown.length === 0) return undefined
  const states = new Map((await readStatesOf(visitor)).map((state) => [state.roomId, state]))
  for (const { roomId, name, isUnread, mentions, isCurrent } of shown) {
    const state = states.get(roomId)
    if (isCurrent || !state) continue
    const expected = state.unread && !state.muted
    const room = visitor.usage.plain(name)
    if (isUnread !== expected)
      return `${room} is ${isUnread ? '' : 'not '}marked as unread, but it ${expected ? 'is' : 'isn’t'}`
    if (mentions !== state.mentions) return `${room} shows ${mentions} mentions, but has ${state.mentions}`
  }
  return undefined
}

/** Who is online in the list of members. */
async function differingPresence(visitor: Visitor, tab: Page): Promise<string | undefined> {
  const { address } = await visitor.view(tab)
  const shown = await visitor.shownMembers(tab)
  const [, part, channelId] = address.split(/[/?]/)
  if (part !== 'c' || channelId === undefined || shown.length === 0) return undefined
  const answer = await visitor.api.call<{ members: Member[] }>('GET', `/channels/${channelId}/members?limit=1000`)
  if (answer.status >= 300) return undefined
  const online = new Set(answer.body.members.flatMap(({ id, online }) => (online ? [id] : [])))
  const wrong = shown.find(({ userId, isOnline }) => isOnline !== online.has(userId))
  return wrong && `${visitor.usage.plain(wrong.name)} is shown as ${wrong.isOnline ? 'online' : 'offline'}, but isn’t`
}

async function readStatesOf({ api }: Visitor): Promise<RoomReadState[]> {
  const states: RoomReadState[] = []
  let after: string | null = null
  do {
    const path: string = after === null ? '/read-states' : `/read-states?afterId=${after}`
    const page: { rooms: RoomReadState[]; nextAfterId: string | null } = await api.get(path)
    states.push(...page.rooms)
    after = page.nextAfterId
  } while (after !== null)
  return states
}

/** What a page still has of rooms that this person can’t see. */
async function remaining(visitor: Visitor, tab: Page, { names }: Scene): Promise<string | undefined> {
  const visible = await visibleRooms(visitor)
  const hidden = [...names].filter(([id]) => !visible.has(id))
  if (hidden.length === 0) return undefined
  const [view, text, stores] = [await visitor.view(tab), await visitor.shownText(tab), await visitor.stores(tab)]
  const listed = new Set((await visitor.shownRooms(tab)).map(({ roomId }) => roomId))
  for (const [id] of hidden) {
    const where = listed.has(id) ? 'the list of rooms' : traceOf(id, view, text, stores)
    if (where !== undefined) return `a room that ${visitor.name} can’t see is still in ${where}`
  }
  return undefined
}

function traceOf(id: string, view: View, text: string, stores: Stores): string | undefined {
  const mark = markOf(id)
  if (text.includes(mark)) return 'the page'
  if (id in stores.rooms) return 'the copy for pages without a connection'
  const query = storedQueries(stores).find((one) => JSON.stringify(one).includes(`"${id}"`))
  if (query)
    return `the lists for pages without a connection: ${query.queryKey.filter((part) => !ID.test(part)).join(' ')}`
  if (view.stored.includes(mark)) return 'the storage of drafts'
  return undefined
}

function storedQueries({ queries }: Stores): readonly { readonly queryKey: readonly string[] }[] {
  return JSON.parse(queries) as { queryKey: string[] }[]
}

async function visibleRooms({ api }: Visitor): Promise<Set<string>> {
  const ids = new Set<string>()
  const { channels } = await api.get<{ channels: OwnChannel[] }>('/channels')
  for (const { id } of channels) {
    const answer = await api.call<{ rooms: Room[] }>('GET', `/channels/${id}/rooms`)
    if (answer.status < 300) for (const room of answer.body.rooms) ids.add(room.id)
  }
  return ids
}
