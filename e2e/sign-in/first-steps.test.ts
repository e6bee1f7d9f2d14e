import type { OwnChannel, Room } from '@portico/contract'
import { expect, test } from 'vitest'
import { setUpCode } from '../../server/src/accounts/set-up.ts'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { newPerson } from '../../server/test/new-person.ts'
import { MEDIA_ON, startServer } from '../../server/test/start-server.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, fillIn, newMessage, PHONE } from '../portal-visit.ts'

describeInBrowser('first steps', ({ open }) => {
  test('lead the first administrator from set-up to a channel, and can be hidden', async () => {
    const server = await startServer(MEDIA_ON)
    const address = `${server.url}/set-up?code=${setUpCode(server.services.secret)}`
    const page = await open(address, { locale: 'en-GB', viewport: DESKTOP })
    await fillIn(page, { name: 'Ada Novak', password: 'correct horse battery' })
    await page.keyboard.press('Enter')

    const list = page.getByRole('region', { name: 'Set up your portal' })
    await list.getByText('0 of 5').waitFor()
    await list.getByRole('link', { name: 'Name your portal' }).click()
    await page.getByLabel('Portal name').fill('Dark Sky Society')
    await page.keyboard.press('Enter')
    await page.getByText('Saved').waitFor()
    // At once, on the page where it was named.
    await list.getByText('1 of 5').waitFor()
    await page.goto(server.url)
    await list.getByText('1 of 5').waitFor()

    await list.getByRole('button', { name: 'Create your first channel' }).click()
    await page.getByRole('dialog', { name: 'New channel' }).getByLabel('Name', { exact: true }).fill('Observers')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor()
    await list.getByText('2 of 5').waitFor()
    const ofChannel = page.getByRole('region', { name: 'Set up this channel' })
    await ofChannel.getByText('0 of 3').waitFor()

    await list.getByRole('link', { name: 'Try a voice room' }).click()
    await page.getByRole('heading', { level: 1, name: 'Lounge' }).waitFor()
    await list.getByRole('button', { name: 'Hide “Set up your portal”' }).click()
    await list.waitFor({ state: 'detached' })
    await page.reload()
    await ofChannel.waitFor()
    await expect.poll(() => list.count()).toBe(0)
  })

  test('are read again once for many messages', async () => {
    const { server } = await channelFixture()
    const owner = await newPerson(server)
    const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Observers' }))
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`/channels/${channel.id}/rooms`))
    const page = await open(`${server.url}/c/${channel.id}`, { ...signedIn(server.url, owner), viewport: DESKTOP })
    await page.getByRole('region', { name: 'Set up this channel' }).getByText('0 of 3').waitFor()
    let requests = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/first-steps')) requests += 1
    })
    for (let count = 0; count < 40; count += 1)
      expectOk(await owner.post(`/rooms/${rooms[0]?.id}/messages`, { channelId: channel.id, text: `message ${count}` }))
    await page.getByRole('article').filter({ hasText: 'message 39' }).waitFor()
    await page.getByRole('region', { name: 'Set up this channel' }).getByText('1 of 3').waitFor()
    // On a slow machine forty messages take more than one interval.
    expect(requests).toBeLessThan(10)
  })

  test('name the first rooms in the language of the portal', async () => {
    const { server } = await channelFixture()
    const page = await open(server.url, { ...signedIn(server.url, await newPerson(server)), locale: 'ru-RU' })
    await page.getByRole('button', { name: 'Создать канал' }).first().click()
    await page.getByRole('dialog', { name: 'Новый канал' }).getByLabel('Название', { exact: true }).fill('Наблюдатели')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'общий' }).waitFor()
    await page.getByRole('link', { name: /^Гостиная/ }).waitFor()
  })

  test('of a channel disappear once people are invited, a room is added and someone says hello', async () => {
    const { server } = await channelFixture()
    const owner = await newPerson(server)
    const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Observers', open: true }))
    const at = `/channels/${channel.id}`
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
    const general = rooms.find(({ type }) => type === 'text')
    const visit = { ...signedIn(server.url, owner), viewport: DESKTOP }
    const page = await open(`${server.url}/c/${channel.id}/${general?.id}`, visit)
    const list = page.getByRole('region', { name: 'Set up this channel' })
    await list.getByText('0 of 3').waitFor()

    const guest = await newPerson(server)
    expectOk(await guest.post(`${at}/join`))
    await list.getByText('1 of 3').waitFor()
    const theirs = await open(`${server.url}/c/${channel.id}/${general?.id}`, signedIn(server.url, guest))
    await newMessage(theirs).waitFor()

    await list.getByRole('button', { name: 'Add another room' }).click()
    await page.getByRole('dialog', { name: 'New room' }).getByLabel('Room name', { exact: true }).fill('telescopes')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'telescopes' }).waitFor()
    await list.getByText('2 of 3').waitFor()
    await list.getByRole('link', { name: 'Say hello' }).click()
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor()
    await newMessage(page).fill('Hello')
    await page.keyboard.press('Enter')
    await list.waitFor({ state: 'detached' })
    expect(await theirs.getByRole('region', { name: 'Set up this channel' }).count()).toBe(0)
  })

  test('are on the home page of a phone, without voice if that is turned off', async () => {
    const server = await startServer()
    const address = `${server.url}/set-up?code=${setUpCode(server.services.secret)}`
    const page = await open(address, { viewport: PHONE, locale: 'ru-RU' })
    await page.getByLabel('Имя', { exact: true }).fill('Ада')
    await page.getByLabel('Пароль', { exact: true }).fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('main').getByRole('region', { name: 'Настройте портал' }).getByText('0 из 4').waitFor()
    expect(await axeViolations(page)).toEqual([])
  })
})
