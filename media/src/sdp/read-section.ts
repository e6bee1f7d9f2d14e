import type { Direction, HeaderExtension, Msid, Section, SectionKind } from './description.ts'
import { readCodecs } from './read-codecs.ts'

const MAX_SSRCS = 32
/** As many layers as browsers send. */
const MAX_RIDS = 3
const MAX_EXTENSIONS = 64

const MEDIA = /^m=(audio|video|application) (\d{1,5})(?:\/\d+)? ([A-Z/]{3,32}) ([\w .-]{1,1024})$/
const MID = /^[\w!#$%&'*+.^`{|}~-]{1,32}$/
const RID = /^[\w-]{1,16}$/
const MSID = /^(\S{1,256})(?: (\S{1,256}))?$/
const EXTMAP = /^(\d{1,3})(?:\/\w+)? (\S{1,256})/
const SSRC = /^(\d{1,10}) (.*)$/
const SSRC_GROUP = /^(FID|SIM) ([\d ]{1,256})$/

/** Null if the `m=` line is malformed or a section in use has no mid. */
export function readSection(lines: readonly string[]): Section | null {
  const [, kind, port = '', protocol = '', formats = ''] = MEDIA.exec(lines[0] ?? '') ?? []
  const attributes = lines.slice(1).flatMap((line) => (line.startsWith('a=') ? [line.slice(2).trim()] : []))
  const isRejected = Number(port) === 0 && !attributes.includes('bundle-only')
  const mid = value(attributes, 'mid:') ?? ''
  if (kind === undefined || !(MID.test(mid) || (isRejected && mid === ''))) return null
  const groups = readGroups(attributes)
  const rids = readRids(attributes)
  return {
    mid,
    kind: kind as SectionKind,
    protocol,
    formats: formats.trim().split(/ +/),
    direction: readDirection(attributes),
    isRejected,
    codecs: kind === 'application' ? [] : readCodecs(formats, attributes, kind),
    extensions: readExtensions(attributes),
    ssrcs: readMediaSsrcs(attributes, groups, rids.length > 0),
    repairSsrcs: groups.repairs,
    msid: readMsid(attributes),
    rids,
  }
}

function readDirection(attributes: readonly string[]): Direction {
  const directions: readonly Direction[] = ['sendonly', 'recvonly', 'inactive']
  return directions.find((direction) => attributes.includes(direction)) ?? 'sendrecv'
}

function readExtensions(attributes: readonly string[]): HeaderExtension[] {
  return values(attributes, 'extmap:')
    .slice(0, MAX_EXTENSIONS)
    .flatMap((text) => {
      const [, id = '0', uri = ''] = EXTMAP.exec(text) ?? []
      return Number(id) >= 1 && Number(id) <= 255 ? [{ id: Number(id), uri }] : []
    })
}

function readSsrcs(attributes: readonly string[]): number[] {
  const ssrcs = new Set<number>()
  for (const text of values(attributes, 'ssrc:')) {
    const ssrc = Number(SSRC.exec(text)?.[1])
    if (isSsrc(ssrc) && ssrcs.size < MAX_SSRCS) ssrcs.add(ssrc)
  }
  return [...ssrcs]
}

interface SsrcGroups {
  layers: number[]
  repairs: Map<number, number>
}

/** Without layers, only the first is media: others may be for error correction. */
function readMediaSsrcs(attributes: readonly string[], groups: SsrcGroups, hasRids: boolean): number[] {
  if (groups.layers.length > 0) return groups.layers
  const repairs = new Set(groups.repairs.values())
  const media = readSsrcs(attributes).filter((ssrc) => !repairs.has(ssrc))
  return hasRids ? media : media.slice(0, 1)
}

function readGroups(attributes: readonly string[]): SsrcGroups {
  const repairs = new Map<number, number>()
  let layers: number[] = []
  for (const text of values(attributes, 'ssrc-group:').slice(0, MAX_SSRCS)) {
    const [, semantics, list = ''] = SSRC_GROUP.exec(text) ?? []
    const ssrcs = list.trim().split(/ +/).map(Number)
    const [media = 0, repair = 0] = ssrcs
    if (!ssrcs.every((ssrc) => isSsrc(ssrc))) continue
    if (semantics === 'SIM') layers = ssrcs.slice(0, MAX_RIDS)
    else if (semantics === 'FID' && isSsrc(repair)) repairs.set(media, repair)
  }
  return { layers, repairs }
}

/** Some WHIP clients name the track only at the ssrc. */
function readMsid(attributes: readonly string[]): Msid | null {
  const legacy = values(attributes, 'ssrc:').map((text) => SSRC.exec(text)?.[2] ?? '')
  const [, stream, track] = MSID.exec(value(attributes, 'msid:') ?? value(legacy, 'msid:') ?? '') ?? []
  return stream === undefined ? null : { stream, track: track ?? stream }
}

/** Of alternatives (`1,2`) the first counts; a layer that starts paused (`~`) is a layer. */
function readRids(attributes: readonly string[]): string[] {
  const declared = new Set(values(attributes, 'rid:').flatMap((text) => /^([\w-]{1,16}) send/.exec(text)?.[1] ?? []))
  const simulcast = value(attributes, 'simulcast:')
  const list = /(?:^| )send ([\w\-;,~]{1,128})/.exec(simulcast ?? '')?.[1] ?? ''
  const rids = list.split(';').map((alternatives) => (alternatives.split(',')[0] ?? '').replace('~', ''))
  return orderLayers([...new Set(rids)].filter((rid) => RID.test(rid) && declared.has(rid)).slice(0, MAX_RIDS))
}

/** LiveKit's clients call their layers q, h and f; others list them from the lowest on, as we do. */
function orderLayers(rids: string[]): string[] {
  const ladder = ['q', 'h', 'f']
  if (!rids.every((rid) => ladder.includes(rid))) return rids
  return rids.sort((a, b) => ladder.indexOf(a) - ladder.indexOf(b))
}

const value = (attributes: readonly string[], name: string): string | undefined =>
  attributes.find((line) => line.startsWith(name))?.slice(name.length)

const values = (attributes: readonly string[], name: string): string[] =>
  attributes.flatMap((line) => (line.startsWith(name) ? [line.slice(name.length)] : []))

const isSsrc = (ssrc: number): boolean => Number.isInteger(ssrc) && ssrc > 0 && ssrc <= 0xffffffff
