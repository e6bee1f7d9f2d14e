import workletUrl from './level.worklet.ts?worker&url'

/**
 * Measures the loudness of a track, about 50 times a second, in decibels below full scale. The track itself may be
 * disabled meanwhile: its copy still hears. Returns a function that stops it.
 */
export function watchLevel(track: MediaStreamTrack, onLevel: (decibels: number) => void): () => void {
  const copy = track.clone()
  copy.enabled = true
  const context = new AudioContext()
  let stopped = false

  async function start(): Promise<void> {
    await context.audioWorklet.addModule(workletUrl)
    if (stopped) return
    const node = new AudioWorkletNode(context, 'level', { numberOfOutputs: 0 })
    node.port.addEventListener('message', ({ data }: MessageEvent<number>) => {
      if (!stopped) onLevel(data)
    })
    node.port.start()
    context.createMediaStreamSource(new MediaStream([copy])).connect(node)
    await context.resume()
  }

  // An interruption, such as a phone call, must not leave a gate closed.
  context.addEventListener('statechange', () => {
    if (!stopped && context.state !== 'running') onLevel(0)
  })
  // Without a level there is no meter; nobody is cut off.
  start().catch(() => undefined)
  return () => {
    stopped = true
    copy.stop()
    void context.close()
  }
}
