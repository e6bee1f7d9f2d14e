/** The largest size of a picture in a message. */
const BOX = { width: 420, height: 320 }
/** A picture of a few pixels, or one that is all width, must still be visible and pressable. */
const SMALLEST = 44
const UNKNOWN = { width: 320, height: 240 }

interface Size {
  readonly width: number
  readonly height: number
}

/** The size at which a message shows a picture, known before it is loaded: nothing below it moves. */
export function fitPicture({ width, height }: { width?: number; height?: number }): Size {
  if (width === undefined || height === undefined) return UNKNOWN
  const scale = Math.min(1, BOX.width / width, BOX.height / height)
  return {
    width: Math.max(SMALLEST, Math.round(width * scale)),
    height: Math.max(SMALLEST, Math.round(height * scale)),
  }
}
