import { test } from 'vitest'
import { describeWithMedia } from './media-under-test.ts'
import { SENT_TOO_LATE } from '../portal-visit.ts'
import { bar, controls, hears, isConnected, join, tile, twoAt } from './voice-visit.ts'

/** The errors that a page logs while the media server is down. */
const AWAY = [/\/rtc[/?]/, /error: ConnectionError/, /data ?channel/i, SENT_TOO_LATE]

describeWithMedia('a voice room whose media server comes and goes,', (visitor) => {
  test('says that it is reconnecting, and reconnects everyone and their cameras without a click', async () => {
    const { owner, ada, his, hers } = await twoAt(visitor, 'voice', { excuses: AWAY })
    await join(his, hers)
    await Promise.all([hears(his), hears(hers)])

    await visitor.media.kill()
    for (const page of [his, hers]) {
      await bar(page).getByText('Reconnecting…').waitFor()
      await page.getByRole('main').getByText('The connection to the media server dropped').waitFor()
    }
    await visitor.media.startAgain()
    await Promise.all([isConnected(his), isConnected(hers)])
    await Promise.all([hears(his), hears(hers)])
    await tile(his, ada).waitFor()
    await tile(hers, owner).waitFor()

    // An outage longer than the retries.
    await controls(hers).getByRole('button', { name: 'Turn camera on' }).click()
    await his.getByLabel(`${ada.name}’s camera`).waitFor()
    await visitor.media.kill()
    for (const page of [his, hers])
      await page.getByRole('alert').getByText('The media server isn’t responding').waitFor()
    await his.getByLabel(`${ada.name}’s camera`).waitFor({ state: 'detached' })
    await visitor.media.startAgain()
    await Promise.all([isConnected(his), isConnected(hers)])
    await his.getByLabel(`${ada.name}’s camera`).waitFor()
    await controls(hers).getByRole('button', { name: 'Turn camera off' }).waitFor()
  })

  test('can be joined without sound during an outage, and sound starts when it ends', async () => {
    const { his, hers } = await twoAt(visitor, 'voice', { excuses: AWAY })
    await visitor.media.kill()
    for (const page of [his, hers]) {
      await page.getByRole('button', { name: 'Join', exact: true }).click()
      await page.getByRole('alert').getByText('The media server isn’t responding').waitFor()
    }
    await visitor.media.startAgain()
    await Promise.all([isConnected(his), isConnected(hers)])
    await Promise.all([hears(his), hears(hers)])
    for (const page of [his, hers]) await page.getByRole('alert').waitFor({ state: 'detached' })
  })
})
