import type { Codec } from './description.ts'

/** How a codec is offered to viewers: with the payload type that is the same on all viewer connections. */
export interface ViewerCodec {
  readonly codec: Codec
  readonly repairPayloadType: number | null
}

export function viewerCodec(_published: Codec): ViewerCodec {
  throw new Error('not written yet')
}
