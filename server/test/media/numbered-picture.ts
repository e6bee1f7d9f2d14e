import { VideoBufferType, VideoFrame } from '@livekit/rtc-node'

/** A stripe for each bit of the number, wide enough to survive compression. */
const BITS = 12
const STRIPE = 32
export const PICTURE = { width: BITS * STRIPE, height: 216 }
const DARK = 16
const BRIGHT = 235
const GRAY = 128

/** A picture that shows its number. */
export function numberedPicture(number: number): VideoFrame {
  const { width, height } = PICTURE
  const data = new Uint8Array((width * height * 3) / 2).fill(GRAY)
  for (let at = 0; at < width * height; at += 1) {
    const bit = Math.floor((at % width) / STRIPE)
    data[at] = (number >> bit) & 1 ? BRIGHT : DARK
  }
  return new VideoFrame(data, width, height, VideoBufferType.I420)
}

/** The number that a picture shows. */
export function numberOf(frame: VideoFrame): number {
  const { data, width, height } = frame.convert(VideoBufferType.I420)
  const row = Math.floor(height / 2) * width
  let number = 0
  for (let bit = 0; bit < BITS; bit += 1) {
    // The sender may have made the picture smaller.
    const column = Math.floor(((bit + 0.5) * width) / BITS)
    if ((data[row + column] ?? 0) > GRAY) number |= 1 << bit
  }
  return number
}
