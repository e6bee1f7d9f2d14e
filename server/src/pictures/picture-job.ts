/** What is made of a picture: the square of an account or a channel, or the preview of a file in a message. */
export type PictureKind = 'square' | 'preview'

export interface PictureJob {
  readonly kind: PictureKind
  /** In bytes. The content follows on standard input. */
  readonly size: number
  /** In bytes: how much memory the process may need in addition. */
  readonly memory: number
}

export interface MadePicture {
  readonly webp: Uint8Array
  /** Of the picture, as it is shown. */
  readonly width: number
  readonly height: number
}

/** `too_large` also stands for whatever needs too much memory or time to decode. */
export type PictureFailure = 'damaged' | 'too_large' | 'unavailable'

export type PictureOutcome = MadePicture | { readonly failure: PictureFailure }
