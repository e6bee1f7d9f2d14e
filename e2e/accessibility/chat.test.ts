import type { Message } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture, type ChannelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { act, openRoom, openSheet, row, sayLongAgo } from '../chat/chat-visit.ts'
import { axeViolations } from '../axe-violations.ts'
import { DESKTOP, focused, PHONE } from '../portal-visit.ts'

/** The row of the question, not the one that quotes it. */
const QUESTION = /^(?!.*As grass).*Is the build green\?/s

describeInBrowser('a room with messages has no axe violations', ({ open }) => {
  test('on a desktop', async () => {
    const here = await channelFixture({ people: 1, bots: 1 })
    await converse(here)
    const place = { url: here.server.url, room: here.room }
    const page = await openRoom(open, place, here.owner, { viewport: DESKTOP, reducedMotion: 'reduce' })
    await shownWhole(page)
    expect(await axeViolations(page)).toEqual([])

    await act(page, 'too old to change', 'Reply')
    await page.getByText(`Replying to ${here.owner.name}`).waitFor()
    await row(page, 'too old to change').hover()
    await row(page, 'too old to change').getByRole('button', { name: 'Edit', disabled: true }).waitFor()
    expect(await axeViolations(page)).toEqual([])

    await act(page, QUESTION, 'Edit')
    const box = page.getByRole('textbox', { name: 'Edit message' })
    await focused(page, box)
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })

    await act(page, QUESTION, 'Add a reaction')
    await pickerHasNoFaults(page)

    await act(page, QUESTION, 'Delete')
    await deletionHasNoFaults(page)
    await pinsHaveNoFaults(page)
  })

  test('on a phone', async () => {
    const here = await channelFixture({ people: 1, bots: 1 })
    await converse(here)
    const place = { url: here.server.url, room: here.room }
    const phone = { viewport: PHONE, hasTouch: true, isMobile: true, reducedMotion: 'reduce' } as const
    const page = await openRoom(open, place, here.owner, phone)
    await shownWhole(page)
    expect(await axeViolations(page)).toEqual([])

    const sheet = await openSheet(page, 'too old to change')
    await sheet.getByRole('button', { name: 'Edit', disabled: true }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Reply' }).tap()
    await page.getByText(`Replying to ${here.owner.name}`).waitFor()

    await (await openSheet(page, QUESTION)).getByRole('button', { name: 'Add a reaction' }).tap()
    await pickerHasNoFaults(page)

    await (await openSheet(page, QUESTION)).getByRole('button', { name: 'Delete' }).tap()
    await deletionHasNoFaults(page)
    await pinsHaveNoFaults(page)
  })
})

async function shownWhole(page: Page): Promise<void> {
  await row(page, 'As grass').getByRole('button', { name: '🎉, 2 reactions' }).waitFor()
  await row(page, 'const answer').locator('pre code').waitFor()
}

async function pickerHasNoFaults(page: Page): Promise<void> {
  const search = page.getByRole('searchbox', { name: 'Search emoji' })
  await search.waitFor()
  await page.getByRole('gridcell').first().waitFor()
  expect(await axeViolations(page)).toEqual([])
  await search.fill('birthday cake')
  await page.getByRole('gridcell', { name: 'birthday cake' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  // Escape first clears a field with text.
  await search.fill('')
  await search.press('Escape')
  await search.waitFor({ state: 'detached' })
}

async function deletionHasNoFaults(page: Page): Promise<void> {
  const question = page.getByRole('dialog', { name: 'Delete this message?' })
  await question.waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
}

async function pinsHaveNoFaults(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pinned messages' }).click()
  await page.getByRole('link', { name: 'Show in the conversation' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
}

/** Everything a row can show: groups, a quoted line, reactions, a pin, an edit, a mention, code and a message too old to edit. */
async function converse(here: ChannelFixture<1, 1>): Promise<void> {
  const { owner, people, bots, room } = here
  const [other, bot] = [people[0], bots[0]]
  const { channelId } = room
  const at = `/rooms/${room.id}/messages`
  await sayLongAgo(here, 'This is too old to change')
  const question = expectOk(await owner.post<Message>(at, { channelId, text: 'Is the bild green?' }))
  expectOk(await owner.patch(`${at}/${question.id}`, { channelId, text: 'Is the build green?' }))
  expectOk(await owner.post(`${at}/${question.id}/pin`, { channelId }))
  const text = `As **grass**, <@${owner.id}>. See [the log](https://example.org/log)`
  const answer = expectOk(await other.post<Message>(at, { channelId, text, replyToId: question.id }))
  for (const person of [owner, other]) {
    expectOk(await person.post(`${at}/${answer.id}/reactions`, { channelId, emoji: '🎉' }))
  }
  const line = `const answer = 42 // ${'and further than any window '.repeat(8)}`
  const code = `> It works\n\n- here\n- there\n\n\`\`\`ts\n${line}\n\`\`\`\n\n||a secret|| and \`code\``
  expectOk(await bot.post(at, { channelId, text: code }))
  expectOk(await other.post(at, { channelId, text: 'Thank you' }))
}
