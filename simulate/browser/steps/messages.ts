import type { ElementHandle } from 'playwright-core'
import type { Visitor } from '../visitor.ts'
import { pressControl } from './press.ts'
import type { Step } from './step.ts'

const ROW = 'article[data-key]'

/** A message that is in the window. */
async function rowOf({ page, random }: Visitor): Promise<ElementHandle | undefined> {
  const shown: ElementHandle[] = []
  const height = page.viewportSize()?.height ?? 0
  for (const row of await page.$$(ROW)) {
    const box = await row.boundingBox()
    if (box && box.y > 60 && box.y + Math.min(box.height, 40) < height - 90) shown.push(row)
  }
  return random.pick(shown)
}

export const actOnMessage: Step = {
  name: 'act on a message',
  weight: 12,
  run: async (visitor) => {
    const row = await rowOf(visitor)
    if (!row) return 'no message'
    await (visitor.isPhone
      ? longPress(visitor, row)
      : visitor.random.chance(0.5)
        ? row.hover()
        : row.click({ button: 'right' }))
    await visitor.page.waitForTimeout(150)
    const actions = (await visitor.controls()).filter(
      ({ within, role, name }) => (within === visitor.text('message_actions') || role === 'menuitem') && name !== '',
    )
    const action = visitor.usage.pick(visitor.random, actions, ({ name }) => `action ${name}`)
    if (!action) return 'no actions'
    visitor.usage.use(`action ${action.name}`)
    return pressControl(visitor, action)
  },
}

async function longPress({ page }: Visitor, row: ElementHandle): Promise<void> {
  const box = await row.boundingBox()
  if (!box) return
  const touch = await page.context().newCDPSession(page)
  const point = { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 20) }
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
  await page.waitForTimeout(700)
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await touch.detach()
}

export const scroll: Step = {
  name: 'scroll through the history',
  weight: 9,
  run: async (visitor) => {
    const { page, random } = visitor
    const way = random.weighted({ up: 4, down: 2, top: 4, end: 2 })
    const times = 1 + random.integer(6)
    for (let count = 0; count < times; count += 1) {
      await visitor.ask(`monkey.scroll('${way}')`)
      await page.waitForTimeout(random.between(20, 250))
    }
    return `${way} × ${times}`
  },
}

export const openPicture: Step = {
  name: 'look at a picture',
  weight: 2,
  run: async (visitor) => {
    const { page, random, isPhone } = visitor
    const element = random.pick(await page.$$(`${ROW} .body :is(button, a):has(img)`))
    if (!element) return 'no picture'
    await (isPhone ? element.tap() : element.click())
    await page.waitForTimeout(300)
    for (const key of random.some(['ArrowRight', 'ArrowLeft', '+', '-', '0', 'End'], 0.4))
      await page.keyboard.press(key)
    return 'opened'
  },
}
