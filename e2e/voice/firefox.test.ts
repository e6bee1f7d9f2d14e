import type { Room } from '@portico/contract'
import { afterAll, beforeAll, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../server/test/channel-fixture.ts'
import { MEDIA_ON } from '../../server/test/start-server.ts'
import { describeInBrowser } from '../browser.ts'
import { firefoxMediaAddress, firefoxPath, startFirefox, type FirefoxPage } from './firefox.ts'
import { DESKTOP, signedOut, signIn } from '../portal-visit.ts'
import { controls, hears, isConnected, join, seesPicture, tile } from './voice-visit.ts'

/** Runs in the page: whether a text is shown. */
const shows = (text: string): boolean => document.body.innerText.includes(text)

/** Runs in the page: whether a video with this label has a picture. */
const showsPicture = (label: string): boolean =>
  [...document.querySelectorAll('video')].some((video) => video.ariaLabel === label && video.videoWidth > 0)

/** Runs in the page: whether it has received sound that is not silence. Without a speaker, Firefox runs no AudioContext. */
async function hasHeard(): Promise<boolean> {
  const connected = peerConnections.filter(({ connectionState }) => connectionState === 'connected')
  const reports = await Promise.all(connected.map((connection) => connection.getStats()))
  const received = reports.flatMap((report) => [...report.values()] as { totalAudioEnergy?: number; type: string }[])
  return received.some(({ type, totalAudioEnergy = 0 }) => type === 'inbound-rtp' && totalAudioEnergy > 0.01)
}

describeInBrowser(
  'Firefox and Chromium',
  ({ open }) => {
    let hers: FirefoxPage
    beforeAll(async () => {
      await portal({ ...MEDIA_ON, MEDIA_ADDRESS: firefoxMediaAddress ?? '', HTTPS_PORT: '0' })
      hers = await startFirefox()
    }, 120_000)
    afterAll(() => hers[Symbol.asyncDispose]())

    test('hear and see each other in a voice room, and watch the same broadcast, one of them by https', async () => {
      const { server, owner, people, at, channel } = await channelFixture({ people: 1 })
      const [ada] = people
      const make = async (type: Room['type']): Promise<string> => {
        const { id } = expectOk(await owner.post<Room>(`${at}/rooms`, { name: type, type }))
        return `/c/${channel.id}/${id}`
      }
      const [voice, stream] = [await make('voice'), await make('stream')]
      const https = server.services.https?.url
      const his = await open(server.url + voice, { ...signedOut, viewport: DESKTOP })
      await signIn(his, owner)
      await hers.open(https + voice)
      await hers.fill('Name', ada.name)
      await hers.fill('Password', ada.password)
      // Its fake microphone plays an even tone, which is filtered out as noise.
      await hers.evaluate(() => localStorage.setItem('portico.voice', JSON.stringify({ noiseSuppression: false })))
      await hers.press('Sign in')

      await join(his)
      await hers.press('Join')
      await hers.until(shows, 'Voice connected')
      await Promise.all([hears(his), hers.until(hasHeard, undefined)])
      await tile(his, ada).getByText('speaking').waitFor({ state: 'attached' })
      await controls(his).getByRole('button', { name: 'Turn camera on' }).click()
      await hers.press('Turn camera on')
      await seesPicture(his, `${ada.name}’s camera`)
      await hers.until(showsPicture, `${owner.name}’s camera`)
      await hers.press('Mute microphone')
      await tile(his, ada).getByText('microphone off').waitFor({ state: 'attached' })

      await Promise.all([his.goto(server.url + stream), hers.open(https + stream)])
      await his.getByRole('button', { name: 'Watch' }).click()
      await hers.press('Watch')
      await isConnected(his)
      await hers.until(shows, 'Voice connected')
      await his.getByRole('button', { name: 'Turn camera on' }).click()
      await hers.until(showsPicture, `${owner.name}’s camera`)
      await his.getByRole('button', { name: 'Share screen' }).click()
      await hers.until(showsPicture, `${owner.name}’s screen`)
      await controls(his).getByRole('button', { name: 'Unmute microphone' }).click()
      await hers.until(hasHeard, undefined)
    })
  },
  { devices: true, missing: firefoxPath === undefined || firefoxMediaAddress === undefined },
)
