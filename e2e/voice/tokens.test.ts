import type { VoiceSession } from '@portico/contract'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type * as livekit from 'livekit-client'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '../../server/test/eventually.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeWithMedia } from './media-under-test.ts'
import { signedOut } from '../portal-visit.ts'

const CLIENT = createRequire(import.meta.url)
  .resolve('livekit-client')
  .replace(/\.\w+\.m?js$/, '.umd.js')

declare global {
  interface Window {
    LivekitClient: typeof livekit
    room: livekit.Room
    ended: string
  }
}

/** A client other than the portal: it connects with any token and keeps the tokens that it receives. */
class Client {
  readonly #page: Page
  readonly #url: string

  constructor(page: Page, url: string) {
    this.#page = page
    this.#url = url
  }

  async load(): Promise<this> {
    await this.#page.evaluate(await readFile(CLIENT, 'utf8'))
    return this
  }

  async connect(token: string): Promise<void> {
    await this.#page.evaluate(
      async ([url, accessToken]) => {
        const { Room, DisconnectReason } = window.LivekitClient
        window.ended = ''
        window.room = new Room({ singlePeerConnection: false })
        const ended = new Promise<void>((resolve) => {
          window.room.on('disconnected', (reason) => {
            window.ended = DisconnectReason[reason ?? 0] ?? ''
            resolve()
          })
        })
        // If it is removed before it is connected, it keeps waiting.
        const connected = window.room.connect(url, accessToken)
        await Promise.race([connected.catch((error: unknown) => (window.ended ||= String(error))), ended])
      },
      [this.#url, token] as const,
    )
  }

  /** Connects, talks, and returns the token that the media server sent in the meantime. */
  async speak(token: string): Promise<string> {
    await this.connect(token)
    await this.#page.evaluate(async () => void (await window.room.localParticipant.setMicrophoneEnabled(true)))
    await eventually(() => this.#newestToken()).not.toBe(token)
    return this.#newestToken()
  }

  #newestToken(): Promise<string> {
    return this.#page.evaluate(() => String(Reflect.get(window.room.engine, 'token')))
  }

  disconnect(): Promise<void> {
    return this.#page.evaluate(() => window.room.disconnect())
  }

  /** Why the connection ended; empty while connected. */
  ended(): Promise<string> {
    return this.#page.evaluate(() => window.ended)
  }

  maySpeak(): Promise<boolean | undefined> {
    return this.#page.evaluate(() => window.room.localParticipant.permissions?.canPublish)
  }
}

describeWithMedia('a kept media token', (visited) => {
  /** A person in a voice room with their own client. */
  async function visitor() {
    const { portal, host } = visited.media
    const { server, owner, people, at, channel, newRoom } = await channelFixture({ people: 1, room: 'voice', portal })
    const [ada] = people
    const room = await newRoom('voice')
    const excuses = [/data ?channel/i, /signal/i, /ConnectionError/, /status of 401/, /HTTP Authentication failed/]
    const page = await visited.open(server.url, { ...signedOut, alsoHosts: [host], excuses })
    return {
      owner,
      ada,
      member: `${at}/members/${ada.id}`,
      voice: `/rooms/${room.id}/voice`,
      newRoom,
      client: await new Client(page, `ws://${host}`).load(),
      join: async () =>
        expectOk(await ada.post<VoiceSession>(`/rooms/${room.id}/voice`, { channelId: channel.id })).token,
    }
  }

  test('is refused after a disconnect, a move, leaving and a kick', async () => {
    const { owner, ada, member, voice, newRoom, client, join } = await visitor()
    const lounge = await newRoom('voice')
    const ends = [
      async () => expectOk(await owner.delete(`${member}/voice`)),
      async () => expectOk(await owner.put(`${member}/room`, { roomId: lounge.id })),
      async () => expectOk(await ada.delete(voice)),
      async () => expectOk(await owner.delete(member)),
    ]
    for (const end of ends) {
      const token = await join()
      const newest = await client.speak(token)
      await end()
      await eventually(() => client.ended()).toBe('PARTICIPANT_REMOVED')
      for (const kept of [token, newest]) {
        await client.connect(kept)
        await eventually(() => client.ended()).not.toBe('')
      }
    }
    const { media } = visited.media.portal.server.services
    expect(media.kind !== 'off' && media.reports.areComing()).toBe(true)
  })

  test('does not allow talking after a mute', async () => {
    const { owner, member, client, join } = await visitor()
    const token = await join()
    const newest = await client.speak(token)
    expect(await client.maySpeak()).toBe(true)
    await client.disconnect()
    expectOk(await owner.put(`${member}/voice-mute`))
    for (const kept of [token, newest]) {
      await client.connect(kept)
      await eventually(() => client.maySpeak()).toBe(false)
      await client.disconnect()
    }
  })
})
