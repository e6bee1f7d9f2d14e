/** How many bytes of a file decide on its type. */
export const SNIFFED_BYTES = 4096

type Magic = readonly [type: string, at: number, bytes: string]

/** The files that browsers show or play, as https://mimesniff.spec.whatwg.org recognizes them. Any other file is downloaded. */
const MAGIC: readonly Magic[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBPVP'],
  ['image/avif', 4, 'ftypavif'],
  ['image/avif', 4, 'ftypavis'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\xff\xfb'],
  ['audio/mpeg', 0, '\xff\xf3'],
  ['audio/mpeg', 0, '\xff\xf2'],
  ['audio/flac', 0, 'fLaC'],
  ['audio/mp4', 4, 'ftypM4A'],
  ['audio/mp4', 4, 'ftypM4B'],
  ['video/mp4', 4, 'ftypiso'],
  ['video/mp4', 4, 'ftypmp4'],
  ['video/mp4', 4, 'ftypavc1'],
  ['video/mp4', 4, 'ftypM4V'],
  ['video/mp4', 4, 'ftypdash'],
  ['video/quicktime', 4, 'ftypqt  '],
  ['application/pdf', 0, '%PDF-'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/gzip', 0, '\x1f\x8b'],
]
const OGG = 'OggS'
const EBML = '\x1a\x45\xdf\xa3'
const UNKNOWN = 'application/octet-stream'
/** Control characters that no text contains. */
const BINARY = /(?![\t\n\v\f\r])\p{Cc}/u

/** The type of a file by its first bytes. What its sender claims, and its name, could be wrong or a trick. */
export function sniffType(head: Uint8Array): string {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  const found = MAGIC.find(([, at, magic]) => bytes.startsWith(magic, at))
  if (found) return isRiff(found, bytes) ? found[0] : UNKNOWN
  // Theora is the only video that old Ogg files have.
  if (bytes.startsWith(OGG)) return bytes.includes('\x80theora') ? 'video/ogg' : 'audio/ogg'
  if (bytes.startsWith(EBML)) return bytes.slice(0, 64).includes('webm') ? 'video/webm' : UNKNOWN
  return isPlainText(head) ? 'text/plain' : UNKNOWN
}

/** WebP and WAV are RIFF containers. */
function isRiff([, at]: Magic, bytes: string): boolean {
  return at !== 8 || bytes.startsWith('RIFF')
}

/** Markup isn't: HTML and SVG are programs. */
function isPlainText(head: Uint8Array): boolean {
  try {
    // The last character may be cut off.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return !BINARY.test(text) && !text.trimStart().startsWith('<')
  } catch {
    return false
  }
}
