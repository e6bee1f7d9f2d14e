import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { newVisitor, openRoom, switchTo } from './browser.ts'
import type { Seeded, SeededRoom } from './seed.ts'

const PER_SECOND = 20
const IDLE_MS = 5000

/** Milliseconds to the first message by rounds, and the CPU time of the page's process. */
export interface Openings {
  readonly cold: number[]
  readonly warm: number[]
  readonly coldProcessor: number[]
  readonly warmProcessor: number[]
}

/** The address is opened by a browser that has nothing of the portal, and by the same one again. */
export async function measureOpenings(browser: Browser, seeded: Seeded, rounds: number): Promise<Openings> {
  const openings: Openings = { cold: [], warm: [], coldProcessor: [], warmProcessor: [] }
  // The first round is only there for the server and for the browser itself to be warm.
  for (let round = 0; round <= rounds; round += 1) {
    const context = await newVisitor(browser, seeded)
    for (const kind of ['cold', 'warm'] as const) {
      const { page, painted } = await openRoom(context, seeded, seeded.tenThousand)
      if (round > 0) {
        openings[kind].push(painted)
        openings[`${kind}Processor`].push(await processorTime(page))
      }
      await page.close()
    }
    await context.close()
  }
  return openings
}

/** CPU milliseconds of the page's process, which depend far less on other load. */
async function processorTime(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  const { metrics } = await cdp.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'ProcessTime')?.value ?? NaN)
}

/** Milliseconds from a click on a room to its first message. */
export interface Switches {
  readonly unvisited: number[]
  readonly visited: number[]
}

export async function measureSwitches(browser: Browser, seeded: Seeded, rounds: number): Promise<Switches> {
  const switches: Switches = { unvisited: [], visited: [] }
  const few = [seeded.fiveThousand, seeded.tenThousand, ...seeded.others.slice(0, 8)]
  for (let round = 0; round < rounds; round += 1) {
    const context = await newVisitor(browser, seeded)
    const { page } = await openRoom(context, seeded, seeded.others.at(-1) ?? seeded.tenThousand)
    for (const kind of ['unvisited', 'visited'] as const) {
      for (const room of few) {
        switches[kind].push(await switchTo(page, room))
        // A pause, so that the work of one room isn't counted in the next.
        await sleep(300)
      }
    }
    await context.close()
  }
  return switches
}

/** Frames while 20 messages per second arrive in an open list of 5,000, and before that while idle, as a baseline. */
export async function measureFrames(browser: Browser, seeded: Seeded, seconds: number) {
  const context = await newVisitor(browser, seeded)
  const { page } = await openRoom(context, seeded, seeded.fiveThousand)
  await sleep(2000)
  const idle = await page.evaluate((time) => globalThis.inPage.frames(time), IDLE_MS)
  const measuring = page.evaluate((time) => globalThis.inPage.frames(time), seconds * 1000)
  const [busy] = await Promise.all([measuring, pour(seeded, seeded.fiveThousand, seconds)])
  await lastShown(page, seconds)
  await context.close()
  return { idle, busy }
}

async function pour({ origin, key, channelId }: Seeded, room: SeededRoom, seconds: number): Promise<void> {
  const sendInTurn = async (_: unknown, index: number): Promise<void> => {
    await sleep((index * 1000) / PER_SECOND)
    await send(`${origin}/api/v1/rooms/${room.id}/messages`, key, { channelId, text: textOf(index + 1) })
  }
  await Promise.all(Array.from({ length: PER_SECOND * seconds }, sendInTurn))
}

function textOf(n: number): string {
  return `Lorry ${n}. has left with **two** crates, see \`list ${n % 7}\` and the plan of the day`
}

async function send(url: string, key: string, body: object): Promise<void> {
  const headers = { authorization: `Bot ${key}`, 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.status !== 201) throw new Error(`a message was not taken: ${response.status} ${await response.text()}`)
}

/** Fails if the list didn't follow: nothing was measured then. */
async function lastShown(page: Page, seconds: number): Promise<void> {
  const last = page.getByRole('article').filter({ hasText: `Lorry ${PER_SECOND * seconds}. ` })
  await last.waitFor({ timeout: 10_000 })
}
