import { notificationSettingsChanged } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'

const NIGHT = { from: '22:00', until: '07:00', timeZone: 'Europe/Berlin' }

describe('updateNotificationSettings', () => {
  test('keeps what is absent, and is published to all devices', async () => {
    const { server, owner } = await channelFixture()
    expect(expectOk(await owner.get('/notification-settings'))).toEqual({ sound: true, doNotDisturb: null })
    const otherTab = await OpenPortal.of(server, owner)
    expectOk(await owner.patch('/notification-settings', { doNotDisturb: NIGHT }))
    expect((await otherTab.next(notificationSettingsChanged)).data.settings.doNotDisturb).toEqual(NIGHT)
    const quiet = { sound: false, doNotDisturb: NIGHT }
    expect(expectOk(await owner.patch('/notification-settings', { sound: false }))).toEqual(quiet)
    expect(expectOk(await owner.patch('/notification-settings', {}))).toEqual(quiet)
    expect(expectOk(await owner.patch('/notification-settings', { doNotDisturb: null }))).toEqual({
      sound: false,
      doNotDisturb: null,
    })
  })

  test('rejects hours and time zones that do not exist', async () => {
    const { owner } = await channelFixture()
    const attempt = (hours: object) => owner.patch('/notification-settings', { doNotDisturb: { ...NIGHT, ...hours } })
    expectRefusal(await attempt({ from: '24:00' }), 'badRequest', { field: 'doNotDisturb.from' })
    expectRefusal(await attempt({ timeZone: 'Mars/Olympus' }), 'badRequest', { field: 'doNotDisturb.timeZone' })
    expect(expectOk(await owner.get('/notification-settings'))).toMatchObject({ doNotDisturb: null })
  })
})
