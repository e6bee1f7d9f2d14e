import type { Page } from 'playwright-core'

interface Recorded {
  peerConnections?: RTCPeerConnection[]
}

/** Runs in a page before its own code: keeps the last connections to a media server, so that a failed test can print them. */
export function recordPeerConnections(): void {
  const recorded: RTCPeerConnection[] = []
  ;(window as Recorded).peerConnections = recorded
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration)
      recorded.push(this)
      recorded.splice(0, recorded.length - 4)
    }
  }
}

/** What a page sends and receives: states, the selected pair, DTLS, packets of each track, and what is played. */
export function describePeerConnections(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const connections = (window as Recorded).peerConnections ?? []
    const described = await Promise.all(
      connections.map(async (connection) => {
        const statistics: object[] = []
        const wanted = /^(transport|candidate-pair|inbound-rtp|outbound-rtp|remote-inbound-rtp)$/
        const report = await connection.getStats()
        report.forEach((entry: { type: string; state?: string }) => {
          const isUnused = entry.type === 'candidate-pair' && entry.state !== 'succeeded'
          if (wanted.test(entry.type) && !isUnused) statistics.push(entry)
        })
        const { connectionState, iceConnectionState, signalingState } = connection
        const sections = connection.getTransceivers().map(({ mid, currentDirection, receiver, sender }) => ({
          mid,
          currentDirection,
          receives: `${receiver.track.id} ${receiver.track.readyState} ${receiver.track.muted ? 'muted' : ''}`,
          sends:
            sender.track && `${sender.track.id} ${sender.track.readyState} ${sender.track.enabled ? '' : 'disabled'}`,
        }))
        return { connectionState, iceConnectionState, signalingState, sections, statistics }
      }),
    )
    const played = [...document.querySelectorAll('audio')].map(({ muted, paused, volume, currentTime, srcObject }) => {
      const tracks = srcObject instanceof MediaStream ? srcObject.getTracks() : []
      return { muted, paused, volume, currentTime, tracks: tracks.map(({ id, readyState }) => `${id} ${readyState}`) }
    })
    return JSON.stringify({ described, played }, null, 1)
  })
}
