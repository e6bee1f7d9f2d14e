import { existsSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Random } from '../random/random.ts'
import { attemptStep } from './attempt.ts'
import { launchChromium, PROGRAM, type BrowserEnd, type Chromium } from './chromium.ts'
import { FaultyProxy } from './faulty-proxy.ts'
import { PortalApi } from './portal-api.ts'
import { Usage } from './usage.ts'
import type { LoggedStep } from './violation.ts'
import { Visitor } from './visitor.ts'

/** Someone with a real Chromium, at a portal that doesn’t answer. */
async function visit() {
  const proxy = await FaultyProxy.start()
  onTestFinished(() => proxy.close())
  const opened: Chromium[] = []
  onTestFinished(async () => void (await Promise.allSettled(opened.map((one) => one.close()))))
  const [violations, steps]: [string[], LoggedStep[]] = [[], []]
  const visitor = new Visitor({
    name: 'owner',
    api: new PortalApi('Olga', proxy.url, proxy.url),
    openBrowser: async () => {
      const chromium = await launchChromium()
      opened.push(chromium)
      return chromium.browser.newContext()
    },
    random: new Random('seed'),
    proxy,
    texts: new Map(),
    usage: new Usage(),
    isPhone: false,
    isMachineBusy: () => false,
    violated: (_, rule, what) => violations.push(`${rule}: ${what}`),
    logged: (step) => steps.push(step),
  })
  await visitor.openBrowser('/')
  return { visitor, opened, violations, steps }
}

describe.runIf(PROGRAM !== undefined && existsSync(PROGRAM))('attemptStep', () => {
  test('goes on in another browser if the one of a person has ended', async () => {
    const { visitor, opened, violations, steps } = await visit()
    const [first] = opened
    await attemptStep(visitor, 'kill', async () => {
      process.kill(first?.pid ?? 0, 'SIGKILL')
      await first?.ended
      await visitor.page.title()
    })
    expect(await first?.ended).toEqual({ isCrash: false, how: 'SIGKILL' } satisfies BrowserEnd)
    expect(visitor.hasBrowser).toBe(true)
    expect(visitor.openTabs).toHaveLength(1)
    expect(opened).toHaveLength(2)
    expect(steps.map(({ action }) => action)).toEqual(['kill', 'open another browser'])
    expect(violations).toEqual([])
  })

  test('reports a page that crashed, and goes on in another one', async () => {
    const { visitor, violations } = await visit()
    await attemptStep(visitor, 'crash', async () => {
      const session = await visitor.context.newCDPSession(visitor.page)
      // Nobody answers this.
      session.send('Page.crash').catch(() => undefined)
    })
    await expect.poll(() => visitor.openTabs.length).toBe(0)
    expect(violations).toEqual(['alive: the page crashed'])
    await attemptStep(visitor, 'go on', async () => undefined)
    expect(visitor.openTabs).toHaveLength(1)
  })
})
