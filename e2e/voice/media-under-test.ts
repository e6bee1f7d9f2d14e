import { afterAll, beforeAll } from 'vitest'
import { newPortal, type Portal } from '../../server/test/channel-fixture.ts'
import { freePort } from '../../server/test/free-port.ts'
import { MEDIA_ON } from '../../server/test/start-server.ts'
import { describeInBrowser, type Visitor } from '../browser.ts'
import { Livekit, livekitProgram } from '../../server/test/livekit.ts'

/** A media server, and a portal that uses it. */
export interface MediaUnderTest {
  readonly portal: Portal
  /** The host that clients connect to, which may be the portal's own. */
  readonly host: string
  /** Ends it without a shutdown. */
  kill(): Promise<void>
  /** Starts it again without any state. */
  startAgain(): Promise<void>
  end(): Promise<void>
}

export interface MediaVisitor extends Visitor {
  readonly media: MediaUnderTest
}

const SERVERS = {
  embedded: { server: 'the embedded media server', start: embedded, missing: false },
  livekit: { server: 'a LiveKit server', start: livekit, missing: livekitProgram === undefined },
}

/** Runs the same browser tests with each media server; those with LiveKit only where PORTICO_TEST_LIVEKIT names one. */
export function describeWithMedia(
  name: string,
  tests: (visitor: MediaVisitor) => void,
  { only }: { readonly only?: keyof typeof SERVERS } = {},
): void {
  for (const { server, start, missing } of only ? [SERVERS[only]] : Object.values(SERVERS)) {
    const describe = (visitor: Visitor): void => {
      let media: MediaUnderTest | undefined
      beforeAll(async () => {
        media = await start()
      })
      afterAll(() => media?.end())
      tests({
        ...visitor,
        get media() {
          if (!media) throw new Error('The media server has not started')
          return media
        },
      })
    }
    describeInBrowser(`${name} with ${server}`, describe, { devices: true, missing })
  }
}

async function embedded(): Promise<MediaUnderTest> {
  const host = `127.0.0.1:${await freePort()}`
  const portal = await newPortal({ ...MEDIA_ON, PORT: host.split(':')[1] ?? '', PUBLIC_URL: `http://${host}` })
  const media = portal.server.services.embeddedMedia
  if (!media) throw new Error('The portal was started without its media server')
  return {
    portal,
    host,
    kill: async () => {
      await media.stop()
      media.closeSockets()
    },
    startAgain: () => media.start(),
    end: () => Promise.resolve(),
  }
}

async function livekit(): Promise<MediaUnderTest> {
  const server = await Livekit.start()
  return {
    portal: await newPortal(server.settings),
    host: server.host,
    kill: () => server.kill(),
    startAgain: () => server.startAgain(),
    end: () => server.end(),
  }
}
