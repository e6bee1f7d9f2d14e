import wasmUrl from '@sapphi-red/web-noise-suppressor/rnnoise_simd.wasm?url'
import { default as workletUrl } from '@sapphi-red/web-noise-suppressor/rnnoiseWorklet.js?url'

/** The name under which the worklet registers itself. */
const WORKLET = '@sapphi-red/web-noise-suppressor/rnnoise'
/** The only rate that RNNoise knows. */
const SAMPLE_RATE = 48_000

/** A microphone without its noise. */
export interface Filtered {
  readonly track: MediaStreamTrack
  stop(): Promise<void>
}

/**
 * Leaves only speech of a microphone, with RNNoise on the audio thread. The microphone itself may be disabled meanwhile: its copy
 * still hears. Rejects if the browser can't do it.
 */
export async function filterSpeech(microphone: MediaStreamTrack): Promise<Filtered> {
  const context = new AudioContext({ sampleRate: SAMPLE_RATE })
  const copy = microphone.clone()
  copy.enabled = true
  try {
    const [wasmBinary] = await Promise.all([load(wasmUrl), context.audioWorklet.addModule(workletUrl)])
    // The worklet would be silent forever if it couldn't.
    await WebAssembly.compile(wasmBinary)
    const node = new AudioWorkletNode(context, WORKLET, { processorOptions: { maxChannels: 1, wasmBinary } })
    const output = new MediaStreamAudioDestinationNode(context, { channelCount: 1 })
    context
      .createMediaStreamSource(new MediaStream([copy]))
      .connect(node)
      .connect(output)
    // An interruption, such as a phone call, must not leave the microphone silent.
    context.addEventListener('statechange', () => {
      if (context.state !== 'closed') void context.resume()
    })
    await context.resume()
    const [track] = output.stream.getAudioTracks()
    if (!track) throw new Error('the filter has no output')
    return {
      track,
      stop: () => {
        node.port.postMessage('destroy')
        track.stop()
        copy.stop()
        return context.close()
      },
    }
  } catch (error) {
    copy.stop()
    void context.close()
    throw error
  }
}

async function load(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answers ${response.status}`)
  return response.arrayBuffer()
}
