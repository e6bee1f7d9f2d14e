import { expect, test } from 'vitest'
import { done, world } from '../server/test/world.ts'
import { describeInBrowser } from './browser.ts'
import { furnish, newMessage, signedOut, signIn } from './portal-visit.ts'

describeInBrowser('completion', ({ open }) => {
  test('writes names that are sent as mentions, and rooms that are sent as links', async () => {
    const { server, owner, people, at, channel, room } = await world({ people: 2 })
    await furnish({ owner, at })
    const [ada, boris] = people
    done(await owner.put(`${at}/members/${boris.id}/nickname`, { nickname: 'Борис Лем' }))
    const address = `${server.url}/c/${channel.id}/${room.id}`
    const page = await open(address, signedOut)
    await signIn(page, ada)
    const field = newMessage(page)
    await field.click()
    await page.keyboard.type('hello @лем')
    await page.getByRole('option', { name: 'Борис Лем', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toBe('hello @Борис Лем ')
    await page.keyboard.type('see #pla')
    await page.getByRole('option', { name: 'plans', selected: true }).waitFor()
    await page.keyboard.press('Tab')
    expect(await field.inputValue()).toBe('hello @Борис Лем see #plans ')
    await page.keyboard.press('Enter')
    // On its way it is shown as it was written; a link it becomes when the server has it.
    await page.getByRole('article').getByRole('link', { name: '#plans' }).waitFor()
    await page.getByRole('article').getByText('@Борис Лем').waitFor()

    const { messages } = done(
      await owner.get<{ messages: { text: string }[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`),
    )
    expect(messages[0]?.text).toMatch(
      new RegExp(`^hello <@${boris.id}> see \\[#plans\\]\\(${server.url}/c/${channel.id}/[0-9a-f-]+\\)\\s*$`),
    )
    await page.getByRole('article').getByRole('link', { name: '#plans' }).click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
  })

  test('finds emoji by their names', async () => {
    const { server, owner, channel, room } = await world()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedOut)
    await signIn(page, owner)
    const field = newMessage(page)
    await field.click()
    await page.keyboard.type('well done :thumbsu')
    await page.getByRole('listbox', { name: 'Emoji' }).getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    expect(await field.inputValue()).toBe('well done 👍 ')
  })

  test('leaves alone what is no name, and a list that was closed stays closed', async () => {
    const { server, owner, people, channel, room } = await world({ people: 1 })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedOut)
    await signIn(page, owner)
    await newMessage(page).click()
    await page.keyboard.type('@pers')
    const list = page.getByRole('listbox', { name: 'Members' })
    await list.getByRole('option', { name: people[0].name }).waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.type('on')
    await page.keyboard.press('Enter')
    await page.getByRole('article').getByText('@person').waitFor()
  })
})
