import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An SDP as the client of that name sent it, with the line ends of the wire. */
export function recordedSdp(name: string): string {
  return readFileSync(join(import.meta.dirname, 'sdp', `${name}.sdp`), 'utf8').replaceAll('\n', '\r\n')
}
