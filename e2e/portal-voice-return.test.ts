import { afterAll, beforeAll, test } from 'vitest'
import { portal } from '../server/test/world.ts'
import { describeInBrowser } from './browser.ts'
import { Livekit, livekitProgram } from './livekit.ts'
import { bar, hears, isConnected, join, tile, twoAt } from './voice-visit.ts'

let livekit: Livekit

if (livekitProgram !== undefined) {
  beforeAll(async () => {
    livekit = await Livekit.start()
    await portal(livekit.settings)
  })
  afterAll(() => livekit.end())
}

/** What a page writes of a media server that is away, for as long as it is. */
const AWAY = [/\/rtc[/?]/, /error: ConnectionError/]

describeInBrowser(
  'a voice room whose media server comes and goes',
  ({ open }) => {
    test('says that it reconnects, and has everybody inside again without a click', async () => {
      const { owner, ada, his, hers } = await twoAt({ open, livekit }, 'voice', { excuses: AWAY })
      await join(his, hers)
      await Promise.all([hears(his), hears(hers)])

      await livekit.kill()
      for (const page of [his, hers]) {
        await bar(page).getByText('Reconnecting…').waitFor()
        await page.getByRole('main').getByText('The connection to the media server is interrupted').waitFor()
      }
      await livekit.startAgain()
      await Promise.all([isConnected(his), isConnected(hers)])
      await Promise.all([hears(his), hears(hers)])
      await tile(his, ada).waitFor()
      await tile(hers, owner).waitFor()
    })

    test('is joined without sound while it is away, and the sound comes by itself', async () => {
      const { his, hers } = await twoAt({ open, livekit }, 'voice', { excuses: AWAY })
      await livekit.kill()
      for (const page of [his, hers]) {
        await page.getByRole('button', { name: 'Join', exact: true }).click()
        await page.getByRole('alert').getByText('The media server does not answer').waitFor()
      }
      await livekit.startAgain()
      await Promise.all([isConnected(his), isConnected(hers)])
      await Promise.all([hears(his), hears(hers)])
      for (const page of [his, hers]) await page.getByRole('alert').waitFor({ state: 'detached' })
    })
  },
  { devices: true, missing: livekitProgram === undefined },
)
