import type { VoiceSession } from '@portico/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { m } from '#paraglide/messages.js'
import { dismiss, toasts } from '#ui/toasts.svelte.ts'
import { mediaConnection } from './media-connection.svelte.ts'

/** A media server and devices, as their client library shows them. */
const media = vi.hoisted(() => {
  class Own {
    readonly identity = 'me'
    readonly permissions: { canPublish: boolean }
    readonly videoTrackPublications = new Map<string, never>()
    isMicrophoneEnabled = false
    isCameraEnabled = false
    isScreenShareEnabled = false
    readonly #changed: () => void

    constructor(changed: () => void) {
      this.permissions = { canPublish: about.canPublish }
      this.#changed = changed
    }

    async setMicrophoneEnabled(on: boolean): Promise<void> {
      about.microphoneRequests += 1
      if (about.isCutWhilePublishing) throw new Error('negotiation timed out')
      this.isMicrophoneEnabled = on
      await Promise.resolve()
    }

    async setCameraEnabled(on: boolean): Promise<void> {
      about.cameraRequests += 1
      if (about.cameraIsTaken) throw new DOMException('taken by another program', 'NotReadableError')
      this.isCameraEnabled = on
      await Promise.resolve(this.#changed())
    }

    async setScreenShareEnabled(on: boolean): Promise<void> {
      this.isScreenShareEnabled = on
      await Promise.resolve(this.#changed())
    }
  }

  class Room {
    readonly remoteParticipants = new Map<string, never>()
    readonly localParticipant = new Own(() => this.tell('localTrackPublished'))
    readonly #listeners = new Map<string, ((about: object) => void)[]>()

    constructor() {
      about.room = this
    }

    on(event: string, listener: (about: object) => void): this {
      this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener])
      return this
    }

    tell(event: string): void {
      for (const listener of this.#listeners.get(event) ?? []) listener({ source: 'camera' })
    }

    async connect(): Promise<void> {
      if (about.isAway) throw new Error('nobody answers')
      await Promise.resolve()
    }

    async disconnect(): Promise<void> {
      await Promise.resolve(this.tell('disconnected'))
    }
  }

  const fresh = {
    isAway: false,
    isCutWhilePublishing: false,
    canPublish: true,
    cameraIsTaken: false,
    cameraRequests: 0,
    microphoneRequests: 0,
  }
  const about: typeof fresh & { room: Room | undefined } = { ...fresh, room: undefined }
  return { Room, about, renew: () => Object.assign(about, fresh, { room: undefined }) }
})

vi.mock('livekit-client', async (original) => ({ ...(await original<object>()), Room: media.Room }))

const SESSION: VoiceSession = {
  roomId: 'stand-up',
  url: 'ws://media.test',
  token: 'let me in',
  identity: 'me',
  canPublish: true,
}

beforeEach(() => {
  media.renew()
  vi.stubGlobal('location', new URL('https://chat.test/'))
})
afterEach(() => {
  vi.unstubAllGlobals()
  mediaConnection.end()
  for (const { id } of toasts.shown) dismiss(id)
})

/** Connects, as on joining and after every interruption. */
async function connect(): Promise<void> {
  await mediaConnection.connect(SESSION, { connected: () => undefined, ended: () => undefined })
}

function lose(): void {
  media.about.room?.tell('disconnected')
  expect(mediaConnection.isCut).toBe(true)
}

const said = (): string[] => toasts.shown.map(({ text }) => text())

describe('the media connection, after an outage of the media server', () => {
  test('says once that the screen is no longer shared, which no page can restart by itself', async () => {
    await connect()
    await mediaConnection.turnScreen()
    expect(mediaConnection.sharesScreen).toBe(true)
    lose()
    expect(said()).toEqual([])
    await connect()
    expect(mediaConnection.state).toBe('connected')
    expect(mediaConnection.sharesScreen).toBe(false)
    expect(said()).toEqual([m.voice_screen_ended()])
    lose()
    await connect()
    expect(said()).toEqual([m.voice_screen_ended()])
  })

  test('turns the camera on again silently, however many attempts it takes', async () => {
    await connect()
    await mediaConnection.turnCamera()
    lose()
    media.about.isAway = true
    await connect()
    await connect()
    expect(mediaConnection.state).toBe('failed')
    media.about.isAway = false
    await connect()
    expect(mediaConnection.showsCamera).toBe(true)
    expect(said()).toEqual([])
  })

  test('says that the camera is off if another program uses it meanwhile', async () => {
    await connect()
    await mediaConnection.turnCamera()
    lose()
    media.about.cameraIsTaken = true
    await connect()
    expect(mediaConnection.state).toBe('connected')
    expect(mediaConnection.showsCamera).toBe(false)
    expect(said()).toEqual([m.voice_camera_ended()])
  })

  test('does not turn on a camera that was off or is no longer allowed', async () => {
    await connect()
    lose()
    await connect()
    expect(media.about.cameraRequests).toBe(0)
    await mediaConnection.turnCamera()
    lose()
    media.about.canPublish = false
    await connect()
    expect(media.about.cameraRequests).toBe(1)
    expect(said()).toEqual([])
  })

  test('forgets what was shown when the room is left', async () => {
    await connect()
    await mediaConnection.turnCamera()
    await mediaConnection.turnScreen()
    mediaConnection.end()
    await connect()
    expect(mediaConnection.showsCamera).toBe(false)
    expect(said()).toEqual([])
  })

  test('leaves the microphone on if the connection breaks while it is published', async () => {
    media.about.isCutWhilePublishing = true
    await mediaConnection.begin(SESSION, false, {
      connected: () => media.about.room?.tell('reconnecting'),
      ended: () => undefined,
    })
    media.about.isCutWhilePublishing = false
    expect(mediaConnection.muted).toBe(false)
    expect(mediaConnection.microphoneProblem).toBeUndefined()
    media.about.room?.tell('reconnected')
    await vi.waitFor(() => expect(media.about.room?.localParticipant.isMicrophoneEnabled).toBe(true))
  })
})

describe('the media connection, when the client library has reconnected', () => {
  test('turns on again what the library did not publish again', async () => {
    await connect()
    await mediaConnection.turnCamera()
    const { room } = media.about
    room?.tell('reconnecting')
    Object.assign(room?.localParticipant ?? {}, { isMicrophoneEnabled: false, isCameraEnabled: false })
    room?.tell('localTrackUnpublished')
    room?.tell('reconnected')
    await vi.waitFor(() => expect(room?.localParticipant.isMicrophoneEnabled).toBe(true))
    await vi.waitFor(() => expect(mediaConnection.showsCamera).toBe(true))
    expect(said()).toEqual([])
  })

  test('says once that the screen is no longer shared', async () => {
    await connect()
    await mediaConnection.turnScreen()
    const { room } = media.about
    room?.tell('reconnecting')
    Object.assign(room?.localParticipant ?? {}, { isScreenShareEnabled: false })
    room?.tell('reconnected')
    await vi.waitFor(() => expect(said()).toEqual([m.voice_screen_ended()]))
    room?.tell('reconnecting')
    room?.tell('reconnected')
    await new Promise((resolve) => setTimeout(resolve))
    expect(said()).toEqual([m.voice_screen_ended()])
  })

  test('leaves alone what is still published', async () => {
    await connect()
    await mediaConnection.turnCamera()
    const { room } = media.about
    room?.tell('reconnecting')
    media.about.microphoneRequests = 0
    room?.tell('reconnected')
    await new Promise((resolve) => setTimeout(resolve))
    expect(media.about).toMatchObject({ microphoneRequests: 0, cameraRequests: 1 })
    expect(said()).toEqual([])
  })
})
