import {
  Encryption_Type,
  LeaveRequest_Action as LeaveAction,
  MuteTrackRequest,
  SessionDescription,
  UpdateSubscription,
  UpdateTrackSettings,
} from '@livekit/protocol'
import { describe, expect, test } from 'vitest'
import { answerTo, scriptedPeer } from '../../test/scripted-sdp.ts'
import { signalFixture } from '../../test/signal-fixture.ts'
import { accept, announce, CAMERA, MICROPHONE, offer, publish } from '../../test/signal-script.ts'
import { signalQuery } from '../signal/signal-request.ts'

describe('a track', () => {
  test('is silent for everyone while its publisher has muted it', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    const sid = await publish(ada, MICROPHONE)
    bob.skip()
    ada.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: true }) })
    expect((await bob.next('update')).participants[0]?.tracks).toMatchObject([{ sid, muted: true }])
    expect(plane.tracks[0]?.isMuted).toBe(true)
    bob.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: false }) })
    expect(plane.tracks[0]?.isMuted).toBe(true)
    ada.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted: false }) })
    expect((await bob.next('update')).participants[0]?.tracks).toMatchObject([{ sid, muted: false }])
    expect(plane.tracks[0]?.isMuted).toBe(false)
  })

  test('that exists already is offered to those who join later', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    const sid = await publish(ada, MICROPHONE)
    const bob = open({ identity: 'bob' })
    expect((await bob.next('join')).otherParticipants[0]?.tracks).toMatchObject([{ sid }])
    expect(Object.values((await accept(bob)).midToTrackId)).toEqual([sid])
  })

  test('is offered to selective clients only when they ask, and not to those who may not subscribe', async () => {
    const { open } = signalFixture()
    const ada = open({ identity: 'ada' })
    const sid = await publish(ada, MICROPHONE)
    const bob = open({ identity: 'bob' }, { autoSubscribe: false })
    const eve = open({ identity: 'eve', canSubscribe: false })
    for (const client of [bob, eve]) {
      expect((await accept(client)).midToTrackId).toEqual({})
      client.request({ case: 'subscription', value: new UpdateSubscription({ trackSids: [sid], subscribe: true }) })
    }
    expect(Object.values((await accept(bob)).midToTrackId)).toEqual([sid])
    bob.request({ case: 'subscription', value: new UpdateSubscription({ trackSids: [sid], subscribe: false }) })
    expect((await accept(bob)).midToTrackId).toEqual({})
    expect(eve.kinds.filter((kind) => kind === 'offer')).toHaveLength(1)
    bob.request({ case: 'subscription', value: new UpdateSubscription({ trackSids: ['TR_none'], subscribe: true }) })
    expect((await bob.next('subscriptionResponse')).trackSid).toBe('TR_none')
  })

  test('can be paused by a viewer', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    const sid = await publish(ada, CAMERA)
    bob.request({ case: 'trackSetting', value: new UpdateTrackSettings({ trackSids: [sid], disabled: true }) })
    expect(plane.subscriptions[0]?.isPaused).toBe(true)
    bob.request({ case: 'trackSetting', value: new UpdateTrackSettings({ trackSids: [sid], width: 640, height: 480 }) })
    expect(plane.subscriptions[0]?.isPaused).toBe(false)
  })
})

describe('transport-wide numbers', () => {
  test('are for viewers who accept the header extension', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob, eve] = [open({ identity: 'ada' }), open({ identity: 'bob' }), open({ identity: 'eve' })]
    for (const viewer of [bob, eve]) await accept(viewer)
    await publish(ada, CAMERA)
    expect((await accept(bob)).sdp).toMatch(/^a=rtcp-fb:96 transport-cc\r$/m)
    await accept(eve, undefined, { withArrivals: false })
    await expect.poll(() => plane.subscriptions.map(({ accepted }) => accepted.withArrivals)).toEqual([true, false])
  })
})

describe('sound that repeats earlier sound (RED)', () => {
  const RED = /^m=audio 9 UDP\/TLS\/RTP\/SAVPF 63 111\r$/m
  const BOTH = { ...MICROPHONE, withRedundancy: true }

  test('is preferred where publisher or viewer know it', async () => {
    const { open, plane } = signalFixture()
    const [ada, bob, eve] = [open({ identity: 'ada' }), open({ identity: 'bob' }), open({ identity: 'eve' })]
    for (const viewer of [bob, eve]) await accept(viewer)
    announce(ada, BOTH)
    offer(ada, [BOTH])
    expect((await ada.next('answer')).sdp).toMatch(RED)
    const { participants } = await bob.next('update', (update) => update.participants[0]?.identity === 'ada')
    expect(participants[0]?.tracks).toMatchObject([{ mimeType: 'audio/red', disableRed: false }])
    expect((await accept(bob, undefined, { withRedundancy: true })).sdp).toMatch(RED)
    expect((await accept(eve)).sdp).toMatch(RED)
    await expect.poll(() => plane.subscriptions.map(({ accepted }) => accepted.withRedundancy)).toEqual([true, false])
  })

  test('is offered to viewers though the publisher doesn’t know it', async () => {
    const { open } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await accept(bob)
    await publish(ada, MICROPHONE)
    expect((await accept(bob)).sdp).toMatch(RED)
  })

  test.each([
    ['whose publisher doesn’t want it', { disableRed: true }],
    ['that is encrypted end to end', { encryption: Encryption_Type.GCM }],
  ])('is not used for a track %s', async (_what, request) => {
    const { open } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await accept(bob)
    announce(ada, BOTH, request)
    offer(ada, [BOTH])
    const { track } = await ada.next('trackPublished')
    expect(track?.disableRed).toBe(true)
    expect((await ada.next('answer')).sdp).not.toMatch(RED)
    expect((await accept(bob)).sdp).not.toMatch(RED)
  })

  test('is not offered to Safari', async () => {
    const { open } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' }, { takesRedundancy: false })]
    await accept(bob)
    await publish(ada, MICROPHONE)
    expect((await accept(bob)).sdp).not.toMatch(RED)
    const query = (text: string) => signalQuery(new URLSearchParams(text))
    expect(query('browser=Safari').takesRedundancy).toBe(false)
    expect(query('browser=Chrome').takesRedundancy).toBe(true)
    expect(query('').takesRedundancy).toBe(true)
  })
})

describe('offers to a viewer', () => {
  test('wait for the answer to the one before, and then contain all changes', async () => {
    const { open } = signalFixture()
    const [ada, bob] = [open({ identity: 'ada' }), open({ identity: 'bob' })]
    await publish(ada, MICROPHONE, CAMERA)
    const eve = open({ identity: 'eve' })
    await publish(eve, MICROPHONE)
    expect(bob.kinds.filter((kind) => kind === 'offer')).toHaveLength(1)
    const first = await accept(bob)
    expect(first.midToTrackId).toEqual({})
    const second = await accept(bob)
    expect(second.id).toBe(2)
    expect(Object.keys(second.midToTrackId)).toHaveLength(3)
  })

  test('ignore the answer to an older one', async () => {
    const { open, plane } = signalFixture()
    const bob = open({ identity: 'bob' })
    const { sdp } = await bob.next('offer')
    const answer = answerTo(sdp, scriptedPeer())
    bob.request({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp: answer, id: 99 }) })
    expect(plane.transports[0]?.expected).toBeUndefined()
    bob.request({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp: answer, id: 1 }) })
    expect(plane.transports[0]?.expected).toBeDefined()
  })

  test.each([
    ['is no session description', () => 'hello'],
    ['leaves open who begins the handshake', (sdp: string) => sdp.replaceAll('a=setup:active', 'a=setup:actpass')],
  ])('end the connection when the answer %s', async (_name, spoil) => {
    const { open } = signalFixture()
    const bob = open({ identity: 'bob' })
    const { sdp, id } = await bob.next('offer')
    const answer = spoil(answerTo(sdp, scriptedPeer()))
    bob.request({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp: answer, id }) })
    expect((await bob.next('leave')).action).toBe(LeaveAction.RECONNECT)
  })

  test.each([
    ['waits for a client that begins the handshake', 'active', 'server'],
    ['begins the handshake with a client that waits for it', 'passive', 'client'],
  ] as const)('%s', async (_name, setup, role) => {
    const { open, plane } = signalFixture()
    await accept(open({ identity: 'ada' }), { ...scriptedPeer(), setup })
    await expect.poll(() => plane.transports[0]?.role).toBe(role)
  })
})
