import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, ElementHandle, Page } from 'playwright-core'
import type { Random } from '../random/random.ts'
import type { Browser as DisturbedBrowser, Disturbance, FaultyProxy } from './faulty-proxy.ts'
import { PASSWORD, type VisitorName } from './found-portal.ts'
import type { PortalApi } from './portal-api.ts'
import { patience } from './patience.ts'
import type { PortalTexts } from './portal-texts.ts'
import { TypedTexts, wordsIn } from './typed-texts.ts'
import type { Usage } from './usage.ts'
import type { Control, ShownMember, ShownRoom, Stores, View } from './view.ts'
import type { LoggedStep, Rule } from './violation.ts'
import { watchPage } from './watch-page.ts'

/** In milliseconds: after a disturbance has ended, its requests may still fail. */
const AFTERMATH = 6000
/** In milliseconds: a page that doesn’t answer for so long is dead. */
const PATIENCE = 45_000
/** In milliseconds: how long an element is waited for. */
export const SOON = 1800

/** In milliseconds: between the end of the first part of a browser and that of the last. */
const ENDS_WITHIN = 1000

const LETTERS = { owner: 'o', moderator: 'm', member: 'n', phone: 'p' } as const satisfies Record<VisitorName, string>

export interface VisitorOptions {
  readonly name: VisitorName
  readonly api: PortalApi
  /** Starts a browser, with nothing in it but a session. */
  readonly openBrowser: () => Promise<BrowserContext>
  readonly random: Random
  readonly proxy: FaultyProxy
  readonly texts: PortalTexts
  readonly usage: Usage
  readonly isPhone: boolean
  readonly isMachineBusy: () => boolean
  readonly violated: (visitor: Visitor, rule: Rule, what: string, stack?: string) => void
  readonly logged: (step: LoggedStep) => void
}

/** One person with their browser and its tabs. */
export class Visitor {
  readonly name: VisitorName
  readonly api: PortalApi
  context!: BrowserContext
  readonly random: Random
  readonly texts: PortalTexts
  readonly usage: Usage
  readonly isPhone: boolean
  readonly typed: TypedTexts
  readonly steps: LoggedStep[] = []
  readonly tabs: Page[] = []
  /** Those of this moment: a tab may close meanwhile. */
  get openTabs(): readonly Page[] {
    return this.tabs.slice()
  }

  /** Steps that were given up and may still do something. */
  readonly unfinished = new Set<Promise<unknown>>()
  /** Layers that were open after the last step, by their ids. */
  knownLayers = new Set<number>()
  page!: Page
  readonly #options: VisitorOptions
  readonly #browser: DisturbedBrowser
  readonly #proxy: FaultyProxy
  #mayFailUntil = 0
  #hasBrowser = false
  /** Something failed because of the simulation since the last comparison: a page may still show that. */
  wasDisturbed = false

  constructor(options: VisitorOptions) {
    this.#options = options
    ;({ name: this.name, api: this.api, random: this.random, texts: this.texts } = options)
    this.usage = options.usage
    this.isPhone = options.isPhone
    this.typed = new TypedTexts(LETTERS[this.name])
    this.#proxy = options.proxy
    this.#browser = options.proxy.add(this.name, options.random.of('disturbances'))
    this.#browser.accepted = (_method, _path, body) => this.typed.settle(wordsIn(body))
  }

  get origin(): string {
    return this.#proxy.url
  }

  get disturbance(): Disturbance {
    return this.#browser.disturbance
  }

  /** Whether requests may fail because of the simulation, or because the program has no time for them. */
  get mayFail(): boolean {
    return this.disturbance !== 'none' || performance.now() < this.#mayFailUntil || this.isMachineBusy
  }

  get isMachineBusy(): boolean {
    return this.#options.isMachineBusy()
  }

  /** Says when it was waited long enough for something that takes `within` milliseconds on a machine with time for it. */
  patience(within: number): () => boolean {
    return patience(within, this.#options.isMachineBusy)
  }

  async disturb(disturbance: Disturbance): Promise<void> {
    if (this.#browser.disturbance === disturbance) return
    const wasOffline = this.#browser.disturbance === 'offline'
    // What is on its way when connections end may fail too.
    this.#mayFailUntil = performance.now() + AFTERMATH
    this.#browser.disturbance = disturbance
    if (disturbance !== 'none') this.wasDisturbed = true
    if (disturbance === 'offline' || disturbance === 'cut') this.#proxy.cutSockets(this.#browser)
    if (disturbance !== 'offline' && !wasOffline) return
    // A browser that has ended is replaced after the step.
    await this.context.setOffline(disturbance === 'offline').catch(() => undefined)
  }

  /** For what ends requests of a page, such as leaving it. */
  noteInterruption(): void {
    this.#mayFailUntil = Math.max(this.#mayFailUntil, performance.now() + AFTERMATH / 2)
  }

  text(key: string): string {
    return this.texts.get(key) ?? key
  }

  violated(rule: Rule, what: string, stack?: string): void {
    this.#options.violated(this, rule, what, stack)
  }

  /** A page that appears now was opened by us, not by a link. */
  isOpening = false

  /** Opens a browser, in which nothing is left of an earlier one. */
  async openBrowser(path: string): Promise<void> {
    await this.disturb('none')
    this.typed.settleAll()
    this.knownLayers = new Set()
    this.tabs.length = 0
    const context = await this.#options.openBrowser()
    this.context = context
    this.#hasBrowser = true
    context.on('close', () => {
      if (this.context === context) this.#hasBrowser = false
    })
    // What a link opened: one of the portal’s own is another tab.
    this.context.on('page', (page) => {
      if (!this.isOpening) void page.close().catch(() => undefined)
    })
    await this.openTab(path)
  }

  get hasBrowser(): boolean {
    return this.#hasBrowser
  }

  async openTab(path: string): Promise<void> {
    this.isOpening = true
    const page = await this.context.newPage().finally(() => (this.isOpening = false))
    await this.adopt(page)
    await page.goto(this.origin + path, { waitUntil: 'domcontentloaded' }).catch(() => undefined)
  }

  /** Takes a page as the one that is acted on. */
  async adopt(page: Page): Promise<void> {
    this.tabs.push(page)
    this.page = page
    page.setDefaultTimeout(SOON)
    page.setDefaultNavigationTimeout(20_000)
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined))
    page.on('close', () => this.#forget(page))
    page.on('crash', () => void this.#crashed(page))
    const complain = (rule: Rule, what: string, stack?: string): void => this.violated(rule, what, stack)
    await watchPage(page, { mayFail: () => this.mayFail, complain, origin: this.origin })
  }

  async #crashed(page: Page): Promise<void> {
    // A browser that ends takes its pages with it.
    await sleep(ENDS_WITHIN)
    if (this.hasBrowser) this.violated('alive', 'the page crashed')
    await page.close().catch(() => undefined)
  }

  #forget(page: Page): void {
    // Those of a browser that was replaced are no longer listed.
    if (!this.tabs.includes(page)) return
    this.tabs.splice(this.tabs.indexOf(page), 1)
    const [first] = this.tabs
    if (this.page === page && first) this.page = first
  }

  view(page = this.page): Promise<View> {
    return this.#ask<View>(page, 'monkey.view()')
  }

  stores(page = this.page): Promise<Stores> {
    return this.#ask<Stores>(page, 'monkey.stores()')
  }

  shownMembers(page = this.page): Promise<ShownMember[]> {
    return this.#ask<ShownMember[]>(page, 'monkey.shownMembers()')
  }

  shownRooms(page = this.page): Promise<ShownRoom[]> {
    return this.#ask<ShownRoom[]>(page, 'monkey.shownRooms()')
  }

  shownText(page = this.page): Promise<string> {
    return this.#ask<string>(page, 'monkey.text()')
  }

  controls(): Promise<Control[]> {
    return this.#ask<Control[]>(this.page, 'monkey.controls()')
  }

  /** Calls something of `page/page-view.ts`. */
  ask<Answer = unknown>(script: string): Promise<Answer> {
    return this.#ask(this.page, script)
  }

  async element(index: number): Promise<ElementHandle> {
    const handle = (await this.page.evaluateHandle(`monkey.element(${index})`)).asElement()
    if (!handle) throw new Error('the element is gone')
    return handle
  }

  /** Evaluates in a page, which may be navigating at the moment. A page that doesn’t answer is dead. */
  async #ask<Answer>(page: Page, script: string): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answered = page.evaluate(script).then(
        (answer) => ({ answer: answer as Answer }),
        (error: unknown) => ({ error }),
      )
      const isOver = this.patience(PATIENCE)
      const wait = () => Promise.race([answered, sleep(PATIENCE, 'silent' as const, { ref: false })])
      let result = await wait()
      while (result === 'silent' && !isOver()) result = await wait()
      if (result === 'silent') {
        this.violated('alive', 'the page doesn’t react anymore')
        await page.close({ runBeforeUnload: false }).catch(() => undefined)
        throw new Error('the page is dead')
      }
      if ('answer' in result) return result.answer
      if (attempt === 5 || page.isClosed()) throw result.error
      await page.waitForLoadState('domcontentloaded').catch(() => undefined)
      await sleep(200)
    }
  }

  /** The room in the address, if it is one. */
  get place(): { readonly channelId: string; readonly roomId: string } | undefined {
    const [, part, channelId, roomId] = new URL(this.page.url()).pathname.split('/')
    if (part !== 'c' || channelId === undefined || roomId === undefined || roomId === 'settings') return undefined
    return { channelId, roomId }
  }

  get address(): string {
    return this.page.url().replace(this.origin, '')
  }

  log(step: Omit<LoggedStep, 'at' | 'person' | 'tab' | 'after'>): void {
    const at = performance.now()
    const logged = { ...step, at, person: this.name, tab: this.tabs.indexOf(this.page), after: this.address }
    this.steps.push(logged)
    this.#options.logged(logged)
  }

  /** A browser without a connection shows a page of its own where nothing is stored. */
  get isNowhere(): boolean {
    return !this.page.url().startsWith(this.origin)
  }

  async mayRead(roomId: string): Promise<boolean> {
    const { status } = await this.api.call('GET', `/rooms/${roomId}/history?limit=1`)
    return status < 300
  }

  /** After a failure that would hide all that follow. */
  async startOver(): Promise<void> {
    this.noteInterruption()
    this.typed.settleAll('edit')
    await this.page.goto(`${this.origin}/`, { waitUntil: 'domcontentloaded' }).catch(() => undefined)
  }

  /** Signs in on the page that a session that has ended leads to. */
  async signIn(): Promise<void> {
    this.typed.settleAll()
    await this.page.locator('input[autocomplete="username"], input[name="name"]').first().fill(this.api.name)
    await this.page.locator('input[type="password"]').first().fill(PASSWORD)
    await this.page.keyboard.press('Enter')
    await this.page
      .waitForURL((url) => !url.pathname.startsWith('/sign-in'), { timeout: 15_000 })
      .catch(() => undefined)
  }
}
