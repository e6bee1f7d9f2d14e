/** A file of this portal that a message links to. */
export interface FileLink {
  readonly kind: 'picture' | 'video' | 'audio' | 'other'
  readonly id: string
  readonly name: string
  /** The original. */
  readonly url: string
  /** What its author calls it, or says that the picture shows. Absent: only its name is known. */
  readonly alt?: string
  /** Of a picture, in pixels. */
  readonly width?: number
  readonly height?: number
  /** Of anything else, in bytes. */
  readonly size?: number
}

const PATH = /^\/files\/([\w-]{1,64})\/([^/?#]+)(?:\?(?:w=(\d{1,5})&h=(\d{1,5})|s=(\d{1,15})))?$/
const VIDEO = /\.(?:mp4|m4v|mov|webm|ogv)$/i
const AUDIO = /\.(?:mp3|m4a|aac|ogg|oga|opus|wav|flac|weba)$/i

/**
 * The file that a link or an image in Markdown leads to. Undefined for every other address: a picture from elsewhere
 * would tell a third-party host who reads it.
 */
export function parseFileLink(href: string, { label, image }: { label: string; image: boolean }): FileLink | undefined {
  const [, id, encoded, width, height, size] = PATH.exec(href) ?? []
  const name = encoded === undefined ? undefined : decode(encoded)
  if (id === undefined || name === undefined) return undefined
  const alt = label.trim()
  return {
    kind: image ? 'picture' : playableAs(name),
    id,
    name,
    url: href,
    ...(alt !== '' && alt !== name && { alt }),
    ...(Number(width) > 0 && Number(height) > 0 && { width: Number(width), height: Number(height) }),
    ...(size !== undefined && { size: Number(size) }),
  }
}

/** The picture at no more than 1,200 pixels, without metadata. */
export function previewOf({ id }: FileLink): string {
  return `/files/${id}/preview`
}

function playableAs(name: string): 'video' | 'audio' | 'other' {
  if (VIDEO.test(name)) return 'video'
  return AUDIO.test(name) ? 'audio' : 'other'
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
