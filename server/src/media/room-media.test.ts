import type { VoiceSession } from '@portico/contract'
import { LeaveRequest, MuteTrackRequest } from '@livekit/protocol'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { MediaClient } from '../../../media/test/media-client.ts'
import type { ScriptedTrack } from '../../../media/test/scripted-sdp.ts'
import type { Person } from '../../test/person.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

const { server } = await portal(MEDIA_ON)

const MICROPHONE: ScriptedTrack = { cid: 'microphone', kind: 'audio', ssrc: 11 }

/** A voice room in which one person talks and another listens. */
async function voiceRoom() {
  const { owner, people, room, at } = await channelFixture({ people: 2, room: 'voice' })
  const tokenOf = async (person: Person): Promise<string> =>
    expectOk(await person.post<VoiceSession>(`/rooms/${room.id}/voice`, { channelId: room.channelId })).token
  const [ada, bob] = people
  const speaker = await MediaClient.connect(server.url, await tokenOf(ada))
  const listener = await MediaClient.connect(server.url, await tokenOf(bob))
  const isHeard = async (text: string): Promise<void> => {
    // Each packet with a number of its own: a listener that has just learned of the track may miss the first.
    await eventually(() => {
      speaker.say(text)
      return listener.heard
    }).toContain(text)
  }
  const isSilent = async (...options: Parameters<MediaClient['say']>): Promise<void> => {
    for (let index = 0; index < 20; index += 1) {
      speaker.say(...options)
      await sleep(10)
    }
    expect(listener.heard).not.toContain(options[0])
  }
  return { owner, ada, bob, at, room, speaker, listener, isHeard, isSilent, tokenOf }
}

const hasMedia = (person: Person) =>
  eventually(async () => {
    const connections = await server.services.embeddedMedia?.connections()
    return connections?.find(({ identity }) => identity === person.id)?.hasMedia
  })

describe('packets of a publisher', () => {
  test('reach the others, and nobody before the track was announced', async () => {
    const { ada, bob, speaker, listener, isHeard, isSilent } = await voiceRoom()
    await hasMedia(ada).toBe(true)
    await hasMedia(bob).toBe(true)
    await speaker.offer([MICROPHONE])
    await isSilent('too early')
    await speaker.publish(MICROPHONE)
    await isHeard('hello')
    expect(speaker.heard).toEqual([])
    expect(listener.signal.kinds).toContain('update')
  })

  test('with an ssrc or a payload type that was not negotiated are dropped', async () => {
    const { speaker, isHeard, isSilent } = await voiceRoom()
    await speaker.publish(MICROPHONE)
    await isHeard('hello')
    await isSilent('a foreign stream', { ssrc: 12 })
    await isSilent('a foreign codec', { payloadType: 96 })
    await isHeard('still here')
  })

  test('are not forwarded while the track is muted, even if the client goes on sending', async () => {
    const { speaker, listener, isHeard, isSilent } = await voiceRoom()
    const sid = await speaker.publish(MICROPHONE)
    await isHeard('hello')
    speaker.signal.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: true }) })
    await listener.signal.next('update', ({ participants: [first] }) => first?.tracks[0]?.muted === true)
    await isSilent('whisper')
    speaker.signal.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: false }) })
    await isHeard('back')
  })

  test('are not forwarded after a moderator’s mute, whatever the client does', async () => {
    const { owner, ada, at, speaker, isHeard, isSilent } = await voiceRoom()
    const sid = await speaker.publish(MICROPHONE)
    await isHeard('hello')
    expectOk(await owner.put(`${at}/members/${ada.id}/voice-mute`, {}))
    await speaker.signal.next('trackUnpublished')
    await isSilent('not to be heard')
    speaker.signal.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: false }) })
    await speaker.offer([MICROPHONE])
    await isSilent('nor now')
    expectOk(await owner.delete(`${at}/members/${ada.id}/voice-mute`))
    await speaker.signal.next('update', ({ participants: [first] }) => first?.permission?.canPublish === true)
    await speaker.publish(MICROPHONE)
    await isHeard('at last')
  })

  test('end when the publisher is removed or leaves', async () => {
    const { owner, ada, at, speaker, isHeard, isSilent, tokenOf } = await voiceRoom()
    await speaker.publish(MICROPHONE)
    await isHeard('hello')
    expectOk(await owner.delete(`${at}/members/${ada.id}/voice`))
    await speaker.signal.next('leave')
    await isSilent('anyone there?')
    const again = await MediaClient.connect(server.url, await tokenOf(ada))
    await again.publish(MICROPHONE)
    again.signal.request({ case: 'leave', value: new LeaveRequest() })
    await eventually(() => again.signal.closed).toBe(1000)
  })

  test('go on after a change of network, without any signaling', async () => {
    const { speaker, listener, isHeard } = await voiceRoom()
    await speaker.publish(MICROPHONE)
    await isHeard('hello')
    await speaker.move()
    await isHeard('from the train')
    await listener.move()
    await isHeard('can you hear me?')
  })

  test('go on while the signaling is broken', async () => {
    const { speaker, isHeard } = await voiceRoom()
    await speaker.publish(MICROPHONE)
    await isHeard('hello')
    await speaker.drop()
    await isHeard('still talking')
  })
})
