import type { Control, Layer, ShownMember, ShownRoom, ShownRow, Stores, View } from '../view.ts'

// Runs in every page before its own code. It is sent as text without its types, so it imports nothing but types.

const CONTROLS =
  'a[href], button, input, textarea, select, summary, [role="menuitem"], [role="option"], [role="tab"], [role="radio"], [role="switch"], [role="checkbox"], [role="slider"], article[data-key]'
const FIELDS = 'textarea, select, input:not([type="radio"], [type="checkbox"], [type="file"])'
const LAYERS = 'dialog[open], [popover]:popover-open'
const LONGEST_NAME = 60

let found: Element[] = []
let layerIds = 0
const layerIdOf = new WeakMap<Element, number>()

function textOf(element: Element | null): string {
  return (element?.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
}

function nameOf(element: Element): string {
  const labelledBy = element.getAttribute('aria-labelledby')
  const labels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels : null
  const name =
    element.getAttribute('aria-label') ??
    (labelledBy === null ? undefined : textOf(document.querySelector(`[id="${labelledBy.split(' ')[0] ?? ''}"]`))) ??
    (labels?.[0] ? textOf(labels[0]) : undefined) ??
    (textOf(element) || element.getAttribute('placeholder') || element.getAttribute('title') || '')
  return name.slice(0, LONGEST_NAME)
}

function roleOf(element: Element): string {
  const role = element.getAttribute('role')
  if (role !== null) return role
  const tag = element.tagName.toLowerCase()
  if (tag === 'a') return 'link'
  if (tag === 'textarea') return 'textbox'
  if (tag === 'input') return element.getAttribute('type') ?? 'text'
  return tag
}

function isVisible(element: Element): boolean {
  return element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
}

function openLayers(): Element[] {
  return [...document.querySelectorAll(LAYERS)].filter((layer) => !layer.classList.contains('tooltip'))
}

function describeLayer(layer: Element): Layer {
  const id = layerIdOf.get(layer) ?? (layerIds += 1)
  layerIdOf.set(layer, id)
  const isDialog = layer.tagName === 'DIALOG'
  return {
    id,
    kind: isDialog ? 'dialog' : 'popover',
    title: layer.getAttribute('aria-label') ?? textOf(layer.querySelector('h2')),
    // A dialog with a title bar that has nothing to close it.
    isPersistent: isDialog && layer.querySelector('header h2') !== null && layer.querySelector('.close') === null,
  }
}

/** Where an element is, by the names that the page has for its parts. */
function placeOf(element: Element): string {
  const part = element.closest(
    'dialog, [popover], [role="dialog"], [role="toolbar"], [data-landmark], nav, aside, main',
  )
  if (!part) return 'page'
  const landmark = part.getAttribute('data-landmark')
  if (landmark === 'composer') return landmark
  return (
    part.getAttribute('aria-label') ?? landmark ?? (textOf(part.querySelector('h1, h2')) || part.tagName.toLowerCase())
  )
}

function controls(): Control[] {
  const dialogs = [...document.querySelectorAll('dialog:modal')]
  const top = dialogs.at(-1)
  found = []
  const result: Control[] = []
  for (const element of document.querySelectorAll(CONTROLS)) {
    const isCovered = top !== undefined && !top.contains(element)
    if (isCovered || !isVisible(element) || element.closest('[inert]') || element.matches(':disabled')) continue
    if (element.matches('input[type="file"], .skip')) continue
    const { left, top: upper, width, height } = element.getBoundingClientRect()
    const [x, y] = [left + width / 2, upper + height / 2]
    const isInViewport = x > 0 && y > 0 && x < innerWidth && y < innerHeight
    if (isInViewport) {
      const hit = document.elementFromPoint(x, y)
      if (hit && !element.contains(hit) && !hit.contains(element)) continue
      if (hit?.tagName === 'DIALOG' && hit !== element) continue
    }
    result.push({
      index: found.length,
      role: roleOf(element),
      name: nameOf(element),
      within: placeOf(element),
      isField: element.matches(FIELDS),
      isInViewport,
    })
    found.push(element)
  }
  return result
}

function rows(): ShownRow[] {
  const window = document.querySelector('[data-landmark="messages"]')?.getBoundingClientRect()
  return [...document.querySelectorAll<HTMLElement>('article[data-key]')].map((article) => {
    const body = article.querySelector('.body')
    const { top, bottom } = article.getBoundingClientRect()
    return {
      key: article.getAttribute('data-key') ?? '',
      time: article.querySelector('time')?.getAttribute('datetime') ?? '',
      text: textOf(body),
      isUnsent: article.classList.contains('unsent') || body?.querySelector('.choices') !== null,
      isEdited: body?.querySelector('textarea') !== null,
      isInView: window !== undefined && bottom > window.top && top < window.bottom,
    }
  })
}

function overflow(): View['overflow'] {
  const { scrollWidth, clientWidth } = document.documentElement
  const by = Math.max(scrollWidth, document.body.scrollWidth) - clientWidth
  const beyond = (element: Element): boolean => element.getBoundingClientRect().right > clientWidth + 1
  const wide = by > 1 ? [...document.body.querySelectorAll('*')].filter((one) => beyond(one) && isVisible(one)) : []
  // What is cut off at the edge of the window can't be scrolled to either.
  const cutOff = [...document.querySelectorAll(CONTROLS)].filter(
    (one) => beyond(one) && isVisible(one) && isCutOff(one),
  )
  const widest = wide.at(-1) ?? cutOff.at(-1)
  if (!widest) return undefined
  return {
    by: Math.round(Math.max(by, widest.getBoundingClientRect().right - clientWidth)),
    widest: `${widest.tagName.toLowerCase()}.${widest.className} “${textOf(widest).slice(0, 40)}”`,
  }
}

function isCutOff(element: Element): boolean {
  if (element.closest('[inert], [aria-hidden="true"]')) return false
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (['auto', 'scroll'].includes(getComputedStyle(parent).overflowX)) return false
  }
  return true
}

function errors(): string[] {
  const headings = document.querySelectorAll('[role="alert"] :is(h1, h2), main :is(h1, h2)')
  return [...headings].filter(isVisible).map((heading) => textOf(heading))
}

function describeFocus(): string {
  const { activeElement } = document
  if (!activeElement || activeElement === document.body) return 'body'
  return activeElement.closest('[inert]') || !activeElement.isConnected
    ? 'nowhere'
    : `${roleOf(activeElement)} “${nameOf(activeElement)}”`
}

function view(): View {
  const list = document.querySelector('[data-landmark="messages"]')
  const composer = document.querySelector<HTMLTextAreaElement>('[data-landmark="composer"] textarea')
  const fields = [...document.querySelectorAll<HTMLTextAreaElement>(FIELDS)]
  return {
    address: location.pathname + location.search,
    layers: openLayers().map(describeLayer),
    errors: errors(),
    isBlank: textOf(document.body) === '',
    overflow: overflow(),
    focus: describeFocus(),
    composer: composer?.value,
    fields: fields.map(({ value }) => value),
    waiting: textOf(document.querySelector('[data-landmark="composer"]')),
    rows: rows(),
    isAtEnd: list !== null && list.scrollHeight - list.clientHeight - list.scrollTop < 30,
    stored: JSON.stringify({ ...localStorage }),
  }
}

function shownRooms(): ShownRoom[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('a[href^="/c/"]')].flatMap((link) => {
    const roomId = link.pathname.split('/')[3]
    if (roomId === undefined || roomId === 'settings' || !link.closest('.row')) return []
    const badge = [...link.querySelectorAll('.badge, [class*="badge"]')].map((one) => /\d+/.exec(textOf(one))?.[0])
    return [
      {
        roomId,
        name: link.title,
        isUnread: link.classList.contains('unread'),
        mentions: Number(badge.find((count) => count !== undefined) ?? 0),
        isCurrent: link.getAttribute('aria-current') === 'page',
      },
    ]
  })
}

/** In the list of members, as far as it is in the page. */
function shownMembers(): ShownMember[] {
  return [...document.querySelectorAll<HTMLElement>('[data-member]')].map((row) => ({
    userId: row.getAttribute('data-member') ?? '',
    name: textOf(row.querySelector('.name')),
    isOnline: !row.classList.contains('away'),
  }))
}

async function contentOf(name: string, store: string): Promise<unknown[]> {
  const known = await indexedDB.databases()
  if (!known.some((database) => database.name === name)) return []
  const opening = indexedDB.open(name)
  // The page may be deleting it: then this would create an empty one, which would stay.
  opening.addEventListener('upgradeneeded', () => opening.transaction?.abort())
  const isOpen = await new Promise<boolean>((resolve) => {
    opening.addEventListener('success', () => resolve(true))
    opening.addEventListener('error', (event) => {
      event.preventDefault()
      resolve(false)
    })
  })
  if (!isOpen) return []
  const database = opening.result
  try {
    const reading = database.transaction(store).objectStore(store).getAll()
    await new Promise((resolve, reject) => {
      reading.addEventListener('success', resolve)
      reading.addEventListener('error', reject)
    })
    return reading.result
  } finally {
    database.close()
  }
}

async function stores(): Promise<Stores> {
  const rooms = (await contentOf('portico.offline', 'rooms')) as { roomId: string; messages: { text: string }[] }[]
  return {
    rooms: Object.fromEntries(rooms.map(({ roomId, messages }) => [roomId, messages.map(({ text }) => text)])),
    queries: JSON.stringify(await contentOf('portico.offline', 'queries')),
    outbox: JSON.stringify(await contentOf('portico.outbox', 'messages')),
  }
}

/** How far each way scrolls the list of messages, in heights of its window. */
const WAYS: Readonly<Record<string, number>> = { up: -0.9, down: 0.9, top: -1e6, end: 1e6 }

function scroll(way: string): void {
  const list = document.querySelector('[data-landmark="messages"]')
  list?.scrollBy(0, (WAYS[way] ?? 0) * list.clientHeight)
}

/** As a link within the portal. */
function follow(path: string): void {
  const link = Object.assign(document.createElement('a'), { href: path })
  ;(document.querySelector('main') ?? document.body).append(link)
  link.click()
  link.remove()
}

function optionsOf(index: number): string[] {
  const field = found[index]
  return field instanceof HTMLSelectElement ? [...field.options].map(({ value }) => value) : []
}

/** Of a field that is still there. */
function valueOf(index: number): string | undefined {
  const field = found[index]
  const hasText = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
  return hasText && field.isConnected && isVisible(field) ? field.value : undefined
}

/** Where typing began, and whether the focus has stayed there since. */
let typedIn: { readonly element: Element | null; isLeft: boolean } = { element: null, isLeft: false }

addEventListener('focusout', () => (typedIn.isLeft = true), { capture: true })

/** Returns whether an edit has the focus. */
function beginTyping(): boolean {
  const { activeElement } = document
  typedIn = { element: activeElement, isLeft: false }
  return activeElement?.closest('article[data-key]') != null
}

/** Whether every key since `beginTyping` went into one field in which messages are written. */
function isStillTyping(): boolean {
  const { element, isLeft } = typedIn
  return element instanceof HTMLTextAreaElement && element === document.activeElement && !isLeft
}

/** What a message field or an edit contains, if it has the focus. */
function focusedText(): string | undefined {
  const { activeElement } = document
  return activeElement instanceof HTMLTextAreaElement ? activeElement.value : undefined
}

interface TransferredFile {
  readonly name: string
  readonly type: string
  /** As base64. */
  readonly content: string
}

function transferOf(files: readonly TransferredFile[]): DataTransfer {
  const transfer = new DataTransfer()
  for (const { name, type, content } of files) {
    const bytes = Uint8Array.from(atob(content), (letter) => letter.codePointAt(0) ?? 0)
    transfer.items.add(new File([bytes], name, { type }))
  }
  return transfer
}

/** Drags files over the page. What they can be dropped on appears. */
function drag(files: readonly TransferredFile[]): void {
  const how = { bubbles: true, cancelable: true, dataTransfer: transferOf(files) }
  const target = document.querySelector('main') ?? document.body
  target.dispatchEvent(new DragEvent('dragenter', how))
  target.dispatchEvent(new DragEvent('dragover', how))
}

/** Takes dragged files out of the window again. */
function dragAway(): void {
  document.body.dispatchEvent(new DragEvent('dragleave', { bubbles: true, relatedTarget: null }))
}

/** Returns whether there was something to drop them on. */
function drop(files: readonly TransferredFile[]): boolean {
  const target = document.querySelector('[role="region"].target')
  const how = { bubbles: true, cancelable: true, dataTransfer: transferOf(files) }
  ;(target ?? document.body).dispatchEvent(new DragEvent('drop', how))
  return target !== null
}

/** Into what has the focus. Returns whether it takes files. */
function pasteFiles(files: readonly TransferredFile[]): boolean {
  const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: transferOf(files) })
  document.activeElement?.dispatchEvent(event)
  return event.defaultPrevented
}

Object.assign(globalThis, {
  monkey: {
    scroll,
    follow,
    optionsOf,
    valueOf,
    focusedText,
    beginTyping,
    isStillTyping,
    drag,
    dragAway,
    drop,
    pasteFiles,
    controls,
    view,
    shownMembers,
    shownRooms,
    stores,
    text: () => document.body.innerText,
    element: (index: number) => found[index],
  },
})
