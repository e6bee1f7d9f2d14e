import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { visitAdministration } from './administration-visit.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { axeViolations } from '../axe-violations.ts'
import { DESKTOP, focused, MEMBERSHIP_ENDED } from '../portal-visit.ts'

async function namedWorld() {
  const made = await channelFixture({ people: 1 })
  const name = `Observatory ${randomBytes(4).toString('hex')}`
  expectOk(await made.owner.patch(made.at, { name }))
  return { ...made, name, path: `/channels?search=${encodeURIComponent(name)}` }
}

describeInBrowser('administration of channels', ({ open }) => {
  test('transfers a channel with the keyboard, and both owners see it live', async () => {
    const { administrator } = await portal()
    const { server, owner, people, channel, name, path } = await namedWorld()
    const [ada] = people
    const visit = { ...signedIn(server.url, ada), viewport: DESKTOP }
    const adas = await open(`${server.url}/c/${channel.id}/settings/members`, visit)
    await adas.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => adas.getByRole('link', { name: 'Roles' }).count()).toBe(0)

    const page = await visitAdministration(open, administrator, server, path)
    const manage = page.getByRole('button', { name: `Manage channel ${name}` })
    await manage.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name })
    await dialog.getByText(`Owner: ${owner.name}`).waitFor()
    await dialog.getByRole('button', { name: 'Transfer' }).click()
    await dialog.getByRole('combobox', { name: 'New owner' }).fill(ada.name)
    await dialog.getByRole('option', { name: ada.name, selected: true }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Enter')
    const confirmation = page.getByRole('dialog', { name: 'Transfer ownership' })
    await confirmation.getByText(`${owner.name} stays as an administrator of the channel`).waitFor()
    await confirmation.getByRole('button', { name: 'Transfer' }).click()
    await confirmation.waitFor({ state: 'detached' })
    await dialog.getByText(`Owner: ${ada.name}`).waitFor()
    await adas.getByRole('link', { name: 'Roles' }).waitFor()

    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await focused(page, manage)
    await page.getByText(`Owner: ${ada.name}`).waitFor()
  })

  test('deletes a channel after its name is typed, and members see that it is gone', async () => {
    const { administrator } = await portal()
    const { server, people, channel, room, name, path } = await namedWorld()
    const excuses = [/status of 403 .*\/portal\/v1\//, MEMBERSHIP_ENDED]
    const visit = { ...signedIn(server.url, people[0]), excuses }
    const adas = await open(`${server.url}/c/${channel.id}/${room.id}`, visit)
    await adas.getByRole('textbox', { name: /^Message / }).waitFor()

    const page = await visitAdministration(open, administrator, server, path)
    await page.getByRole('button', { name: `Manage channel ${name}` }).click()
    await page.getByRole('dialog', { name }).getByRole('button', { name: 'Delete', exact: true }).click()
    const confirmation = page.getByRole('dialog', { name: `Delete “${name}”?` })
    const field = confirmation.getByRole('textbox', { name: `Type the channel’s name to confirm: ${name}` })
    await field.fill('something else')
    await confirmation.getByRole('button', { name: 'Delete', exact: true }).click()
    await confirmation.getByText('That isn’t the channel’s name.').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await field.fill(name)
    await confirmation.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    await page.getByText(`No results for “${name}”.`).waitFor()
    await adas.getByRole('heading', { name: 'Channel not found' }).first().waitFor()

    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByText(`${administrator.name} deleted the channel “${name}”`).waitFor()
  })
})
