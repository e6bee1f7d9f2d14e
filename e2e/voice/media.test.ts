import type { Room } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { axeViolations } from '../axe-violations.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP } from '../portal-visit.ts'

/** An address without a server: the discard port is closed on modern machines. */
const MEDIA = '127.0.0.1:9'
await portal({ LIVEKIT_URL: `ws://${MEDIA}`, LIVEKIT_API_KEY: 'portico', LIVEKIT_API_SECRET: 'a secret of its own' })

describeInBrowser('a media server that does not respond', ({ open }) => {
  test('keeps the person in the room, says so, and retries with the same mute state', async () => {
    const { server, owner, at, channel } = await channelFixture()
    const { id } = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'stand-up', type: 'voice' }))
    const page = await open(`${server.url}/c/${channel.id}/${id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
      alsoHosts: [MEDIA],
      provokes: [/127\.0\.0\.1:9\/rtc/],
    })
    await page.getByRole('button', { name: 'Join', exact: true }).click()
    await page.getByRole('alert').getByText('The media server isn’t responding').waitFor()
    await page.getByRole('region', { name: 'Voice' }).getByText('No sound').waitFor()
    expect(await axeViolations(page)).toEqual([])
    const controls = page.getByRole('main').getByRole('group', { name: 'Microphone and sound' })
    await controls.getByRole('button', { name: 'Mute microphone', exact: true }).click()
    await controls.getByRole('button', { name: 'Unmute microphone' }).waitFor()
    const attempt = page.waitForRequest(`http://${MEDIA}/rtc/**`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await attempt
    await page.getByRole('alert').getByText('The media server isn’t responding').waitFor()
    await controls.getByRole('button', { name: 'Unmute microphone' }).waitFor()
  })
})
