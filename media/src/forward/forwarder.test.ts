import { describe, expect, it } from 'vitest'
import { countOf, opus, published, textOf } from '../../test/forwarding-fixture.ts'
import { memoryTransport } from '../../test/memory-transport.ts'
import { AUDIO, rtpPacket } from '../../test/rtp-stream.ts'
import { createForwarder } from './forwarder.ts'

describe('a failure', () => {
  it('in the work for one connection does not stop the others', () => {
    let time = 0
    const errors: unknown[] = []
    const forwarder = createForwarder({ now: () => time, onError: (error) => void errors.push(error) })
    const [broken, sound] = [memoryTransport(), memoryTransport()]
    broken.sendRtcp = () => {
      throw new Error('out of order')
    }
    for (const transport of [broken, sound]) forwarder.addPublisher(transport).publish(AUDIO)
    time += 2000
    forwarder.tick()
    expect(errors).toHaveLength(1)
    expect(countOf(sound, 'receiver-report')).toBe(1)
  })
})

describe('closing', () => {
  it('ends subscriptions with their track, and tracks with their publisher', () => {
    const { track, upstream, view, publisher } = published(AUDIO)
    const { transport, subscription } = view(track)
    publisher.close()
    upstream.onRtp(opus(1))
    expect(subscription.isClosed).toBe(true)
    expect(transport.rtp).toHaveLength(0)
  })

  it('lets a publisher use a mid again', () => {
    const { track, publisher, view, upstream } = published(AUDIO)
    const { subscription } = view(track)
    const next = publisher.publish({ ...AUDIO, ssrcs: [1005] })
    expect(subscription.isClosed).toBe(true)
    const { transport } = view(next)
    upstream.onRtp(opus(1))
    upstream.onRtp(rtpPacket({ ssrc: 1005, payloadType: 109, sequenceNumber: 1, payload: Buffer.from('new') }))
    expect(textOf(transport)).toEqual(['new'])
  })
})
