import type { HeaderExtension } from './description.ts'

/** The ids of the header extensions that were negotiated. */
export interface ExtensionIds {
  readonly mid?: number
  readonly rid?: number
  readonly repairedRid?: number
  readonly audioLevel?: number
  readonly transportCc?: number
}

/** The header extensions that we read or write. */
export const EXTENSION_URIS: Readonly<Record<keyof ExtensionIds, string>> = {
  mid: 'urn:ietf:params:rtp-hdrext:sdes:mid',
  rid: 'urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id',
  repairedRid: 'urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id',
  audioLevel: 'urn:ietf:params:rtp-hdrext:ssrc-audio-level',
  transportCc: 'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01',
}

/** What viewers are offered: an id must have the same meaning in all sections of a connection. */
export const VIEWER_EXTENSIONS = { transportCc: 3 } as const satisfies ExtensionIds

export function findExtensions(
  offered: readonly HeaderExtension[],
  names: readonly (keyof ExtensionIds)[],
): ExtensionIds {
  const found = names.flatMap((name) => {
    const extension = offered.find(({ uri }) => uri === EXTENSION_URIS[name])
    return extension ? [[name, extension.id] as const] : []
  })
  return Object.fromEntries(found)
}

export function writeExtensions(ids: ExtensionIds): string[] {
  const names = Object.keys(EXTENSION_URIS) as (keyof ExtensionIds)[]
  return names.flatMap((name) => (ids[name] === undefined ? [] : [`a=extmap:${ids[name]} ${EXTENSION_URIS[name]}`]))
}
