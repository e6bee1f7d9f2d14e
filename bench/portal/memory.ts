import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { newVisitor, openRoom, switchTo } from './browser.ts'
import type { Seeded, SeededRoom } from './seed.ts'

const READINGS = 12

/** The page's memory after a garbage collection. */
export interface Reading {
  readonly steps: number
  readonly heapKiB: number
  readonly nodes: number
  readonly listeners: number
}

/** Uses the portal for a while: switches rooms, writes, opens and closes panels. */
export async function measureMemory(browser: Browser, seeded: Seeded, minutes: number): Promise<Reading[]> {
  const context = await newVisitor(browser, seeded)
  const { page } = await openRoom(context, seeded, seeded.tenThousand)
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable')
  const path = way(seeded.others)
  const turn = async (steps: number): Promise<void> => {
    for (let n = 0; n < steps; n += 1) await step(page, path)
  }

  // Once through everything: code that is loaded on demand, and as many rooms as the portal keeps, are no growth.
  await turn(seeded.others.length * 3)
  const readings = [await read(cdp, page, seeded, path.steps)]
  const begun = performance.now()
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const until = begun + (minutes * 60_000 * reading) / READINGS
    while (performance.now() < until) await turn(ACTIONS.length)
    readings.push(await read(cdp, page, seeded, path.steps))
    console.log(line(readings.at(-1)))
  }
  await context.close()
  return readings
}

/** How much each 100 steps added in the second half, by the line that fits the readings best. */
export function growthPer100(readings: readonly Reading[], of: 'heapKiB' | 'nodes' | 'listeners'): number {
  const half = readings.slice(-Math.ceil(readings.length / 2))
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = mean(half.map(({ steps }) => steps))
  const level = mean(half.map((reading) => reading[of]))
  const covariance = mean(half.map((reading) => (reading.steps - middle) * (reading[of] - level)))
  return (100 * covariance) / mean(half.map(({ steps }) => (steps - middle) ** 2))
}

interface Way {
  steps: number
  /** Two rooms on and one back: each is seen again while it is kept, and once more when it is long forgotten. */
  next(): SeededRoom
}

function way(rooms: readonly SeededRoom[]): Way {
  return {
    steps: 0,
    next() {
      this.steps += 1
      const room = rooms[(Math.floor(this.steps / 3) + (this.steps % 3)) % rooms.length]
      if (!room) throw new Error('there are no rooms')
      return room
    },
  }
}

const ACTIONS = [
  async (page: Page) => {
    const field = page.getByRole('textbox', { name: /^Message #/ })
    await field.fill('Done, **thank you**')
    await field.press('Enter')
    await page.locator('article.unsent').waitFor({ state: 'detached' })
  },
  (page: Page) => panel(page, 'Pinned messages'),
  (page: Page) => panel(page, 'Search'),
  (page: Page) => panel(page, 'Members'),
  async (page: Page) => {
    await page.getByRole('button', { name: 'Pick an emoji' }).click()
    await closing(page, page.getByRole('searchbox', { name: 'Search emoji' }))
  },
  async (page: Page) => {
    await page.locator('article button.name').last().click()
    await closing(page, page.getByRole('dialog'))
  },
]

async function step(page: Page, path: Way): Promise<void> {
  await switchTo(page, path.next())
  await ACTIONS[path.steps % ACTIONS.length]?.(page)
}

async function panel(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true })
  const aside = page.getByRole('complementary', { name })
  const open = await aside.isVisible()
  for (const state of open ? (['detached', 'visible'] as const) : (['visible', 'detached'] as const)) {
    await button.click()
    await aside.waitFor({ state })
  }
}

async function closing(page: Page, shown: ReturnType<Page['getByRole']>): Promise<void> {
  await shown.waitFor()
  await page.keyboard.press('Escape')
  await shown.waitFor({ state: 'hidden' })
}

/** Read when idle, always in the same room and coming from the same other one, which the page may still hold. */
async function read(
  cdp: CDPSession,
  page: Page,
  { fiveThousand, tenThousand }: Seeded,
  steps: number,
): Promise<Reading> {
  await switchTo(page, fiveThousand)
  await switchTo(page, tenThousand)
  await sleep(1000)
  // What the first round frees may only be swept, and its finalizers run, in the next.
  for (let round = 0; round < 3; round += 1) await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.getMetrics')
  const value = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? NaN
  return {
    steps,
    heapKiB: Math.round(value('JSHeapUsedSize') / 1024),
    nodes: value('Nodes'),
    listeners: value('JSEventListeners'),
  }
}

function line(reading: Reading | undefined): string {
  return `  after ${reading?.steps} steps: ${reading?.heapKiB} KiB, ${reading?.nodes} nodes, ${reading?.listeners} listeners`
}
