import type { Room } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk } from '../../server/test/channel-fixture.ts'
import { describeWithMedia } from './media-under-test.ts'
import { MEMBERSHIP_ENDED } from '../portal-visit.ts'
import { bar, controls, hears, isConnected, join, seesPicture, tile, twoAt } from './voice-visit.ts'

/** The media server closes the connection of someone it removes, and its message may arrive after that. */
const CUT = [
  /DataChannel error on \w+: User-Initiated Abort/,
  /publisher data channel '\w+' closed unexpectedly/,
  /error reading from signal stream .* WS closed unexpectedly with code 1006/,
  // livekit-client logs this when someone leaves while their track is on its way.
  /Tried to add a track for a participant, that's not present/,
]

describeWithMedia('a voice room', (visitor) => {
  test('lets people hear and see each other, and shows who is speaking or muted', async () => {
    const { owner, ada, his, hers } = await twoAt(visitor, 'voice')
    await join(his, hers)
    // One at a time: a browser filters out sound that it also plays, as an echo.
    await controls(his).getByRole('button', { name: 'Mute microphone', exact: true }).click()
    await tile(hers, owner).getByText('microphone off').waitFor({ state: 'attached' })
    await hears(his)
    await tile(his, ada).getByText('speaking').waitFor({ state: 'attached' })
    await tile(hers, ada).getByText('speaking').waitFor({ state: 'attached' })
    await expect.poll(() => tile(hers, owner).getByText('speaking').count()).toBe(0)

    await controls(hers).getByRole('button', { name: 'Deafen' }).click()
    await tile(his, ada).getByText('microphone off').waitFor({ state: 'attached' })
    await tile(his, ada).getByText('speaking').waitFor({ state: 'detached' })
    await tile(hers, ada).getByText('speaking').waitFor({ state: 'detached' })
    expect(await hers.locator('audio').evaluateAll((all: HTMLAudioElement[]) => all.every(({ muted }) => muted))).toBe(
      true,
    )
    await controls(his).getByRole('button', { name: 'Unmute microphone' }).click()
    await tile(hers, owner).getByText('speaking').waitFor({ state: 'attached' })
    await controls(hers).getByRole('button', { name: 'Undeafen' }).click()
    await tile(his, ada).getByText('microphone off').waitFor({ state: 'detached' })
    await hears(hers)

    await controls(hers).getByRole('button', { name: 'Turn camera on' }).click()
    await seesPicture(his, `${ada.name}’s camera`)
    await controls(hers).getByRole('button', { name: 'Leave room' }).click()
    await tile(his, ada).waitFor({ state: 'detached' })
    await hers.locator('audio').waitFor({ state: 'detached' })
  })

  test('mutes and unmutes a member for a moderator immediately, and is left when leaving the channel', async () => {
    const excuses = [...CUT, MEMBERSHIP_ENDED]
    const { owner, ada, his, hers, at } = await twoAt(visitor, 'voice', { excuses })
    await join(his, hers)
    await hears(his)
    expectOk(await owner.put(`${at}/members/${ada.id}/voice-mute`, {}))
    await hers.getByText('You can listen here, but can’t talk.').waitFor()
    await controls(hers).getByRole('button', { name: 'Mute microphone', exact: true }).waitFor({ state: 'detached' })
    await tile(his, ada).getByText('microphone off').waitFor({ state: 'attached' })
    await hears(hers)
    expectOk(await owner.delete(`${at}/members/${ada.id}/voice-mute`))
    await controls(hers).getByRole('button', { name: 'Mute microphone', exact: true }).waitFor()
    await tile(his, ada).getByText('microphone off').waitFor({ state: 'detached' })
    await hears(his)

    expectOk(await owner.delete(`${at}/members/${ada.id}`))
    await bar(hers).waitFor({ state: 'detached' })
    await tile(his, ada).waitFor({ state: 'detached' })
  })

  test('moves a member with their mute state, and disconnects a member', async () => {
    const { owner, ada, his, hers, at } = await twoAt(visitor, 'voice', { excuses: CUT })
    const lounge = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'lounge', type: 'voice' }))
    await join(his, hers)
    await controls(hers).getByRole('button', { name: 'Mute microphone', exact: true }).click()
    await tile(his, ada).getByText('microphone off').waitFor({ state: 'attached' })
    expectOk(await owner.put(`${at}/members/${ada.id}/room`, { roomId: lounge.id }))
    await bar(hers).getByText('lounge').waitFor()
    await isConnected(hers)
    await bar(hers).getByRole('button', { name: 'Unmute microphone' }).click()
    await his
      .getByRole('navigation', { name: 'Rooms' })
      .getByRole('link', { name: /^lounge/ })
      .click()
    await his.getByRole('heading', { level: 1, name: 'lounge' }).waitFor()
    await join(his)
    await Promise.all([hears(his), hears(hers)])

    expectOk(await owner.delete(`${at}/members/${ada.id}/voice`))
    await hers.getByText('You’re no longer in lounge.').waitFor()
    await bar(hers).waitFor({ state: 'detached' })
    await tile(his, ada).waitFor({ state: 'detached' })
  })

  test('plays in one window: another one takes over', async () => {
    const { ada, his, hers, enter } = await twoAt(visitor, 'voice', { excuses: CUT })
    await join(his, hers)
    const second = await enter(ada)
    // A toast disappears, so start waiting before it appears.
    const notice = hers.getByText('You joined from another window or device').waitFor()
    await second.getByRole('button', { name: 'Join here' }).click()
    await Promise.all([notice, isConnected(second)])
    await bar(hers).waitFor({ state: 'detached' })
    await Promise.all([hears(his), hears(second)])
  })
})

describeWithMedia('a stream room', (visitor) => {
  test('shows the broadcaster’s camera and screen to viewers', async () => {
    const { owner, his, hers } = await twoAt(visitor, 'stream')
    for (const page of [his, hers]) await page.getByRole('button', { name: 'Watch' }).click()
    for (const page of [his, hers]) await isConnected(page)
    for (const page of [his, hers]) await page.getByText('2 viewers').waitFor({ state: 'attached' })
    await hers.getByText('The stream appears here').waitFor()
    await expect.poll(() => hers.getByRole('button', { name: 'Turn camera on' }).count()).toBe(0)

    await his.getByRole('button', { name: 'Turn camera on' }).click()
    await seesPicture(hers, `${owner.name}’s camera`)
    await his.getByRole('button', { name: 'Share screen' }).click()
    await seesPicture(hers, `${owner.name}’s screen`)
    await seesPicture(hers, `${owner.name}’s camera`)
    await his.getByRole('button', { name: 'Stop sharing' }).click()
    await hers.getByLabel(`${owner.name}’s screen`).waitFor({ state: 'detached' })
    await controls(his).getByRole('button', { name: 'Unmute microphone' }).click()
    await hears(hers)
    await his.getByRole('button', { name: 'Turn camera off' }).click()
    await hers.getByText('Nobody is broadcasting yet').waitFor()
  })
})
