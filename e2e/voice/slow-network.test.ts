import { expect, test } from 'vitest'
import { PERFECT, startLossyRelay } from '../../media/test/lossy-relay.ts'
import { withMediaPort } from '../../server/test/media/relay-signals.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeWithMedia } from './media-under-test.ts'
import { controls, join, seesPicture, tile, twoAt } from './voice-visit.ts'

describeWithMedia(
  'a voice room behind a network that is too slow for pictures',
  (visitor) => {
    test('says that a picture is paused, and whose connection is weak, until the network is faster', async () => {
      const { owner, ada, his, hers } = await twoAt(visitor, 'voice')
      const { port } = visitor.media.portal.server.services.embeddedMedia!.place
      await using relay = await startLossyRelay(port, PERFECT)
      await his.routeWebSocket(/\/rtc\?/, (socket) => {
        const server = socket.connectToServer()
        server.onMessage((message) => socket.send(Buffer.from(withMediaPort(Buffer.from(message), relay.port))))
      })
      await join(his, hers)
      await controls(hers).getByRole('button', { name: 'Turn camera on' }).click()
      await seesPicture(his, `${ada.name}’s camera`)
      const note = tile(his, ada).getByText('Paused: slow network')
      // A busy machine looks like a slow network for a moment.
      await note.waitFor({ state: 'detached' })

      relay.network = { ...PERFECT, delayMs: 20, bitrate: 100_000 }
      await note.waitFor()
      for (const page of [his, hers]) {
        await tile(page, owner).getByText('weak connection').waitFor({ state: 'attached' })
      }
      expect(await axeViolations(his)).toEqual([])

      relay.network = PERFECT
      await note.waitFor({ state: 'detached' })
    })
  },
  { only: 'embedded' },
)
