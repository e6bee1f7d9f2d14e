import type { Description, ReadDescription, SdpProblem, Section } from './description.ts'
import { readSection } from './read-section.ts'

const MAX_LENGTH = 512 * 1024
const MAX_SECTIONS = 256

const ICE_UFRAG = /^[A-Za-z0-9+/]{4,256}$/
const ICE_PWD = /^[A-Za-z0-9+/]{22,256}$/
const FINGERPRINT = /^(sha-256|sha-384|sha-512) ((?:[0-9A-F]{2}:){31,63}[0-9A-F]{2})$/i

/** Reads an offer or answer. Never throws; lines that mean nothing to us are skipped, whatever they hold. */
export function readDescription(sdp: string): ReadDescription {
  if (sdp.length > MAX_LENGTH) return refuse('too-large')
  const [session = [], ...media] = splitSections(sdp)
  if (session[0] !== 'v=0') return refuse('not-sdp')
  if (media.length > MAX_SECTIONS) return refuse('too-many-sections')
  const sections = media.map((lines) => readSection(lines))
  if (!sections.every((section) => section !== null)) return refuse('not-sdp')
  return describe(session, media, sections)
}

function describe(
  session: readonly string[],
  media: readonly (readonly string[])[],
  sections: readonly Section[],
): ReadDescription {
  const mids = sections.flatMap(({ mid }) => (mid === '' ? [] : [mid]))
  if (new Set(mids).size < mids.length) return refuse('duplicate-mid')
  const bundle = attribute(session, 'group:BUNDLE')?.split(' ') ?? []
  const inUse = sections.findIndex(({ isRejected }) => !isRejected)
  const bundled = new Set(bundle)
  if (sections.some(({ mid, isRejected }) => !isRejected && !bundled.has(mid))) return refuse('not-bundled')
  // All sections of a bundle share one transport, so the first one in use speaks for all.
  const lines = [...(media[inUse] ?? []), ...session]
  const ufrag = attribute(lines, 'ice-ufrag:')
  const pwd = attribute(lines, 'ice-pwd:')
  if (!ufrag || !pwd || !ICE_UFRAG.test(ufrag) || !ICE_PWD.test(pwd)) return refuse('no-ice-credentials')
  const fingerprint = readFingerprint(lines)
  if (fingerprint === null) return refuse('no-fingerprint')
  const setup = readSetup(lines)
  const isIceLite = session.includes('a=ice-lite')
  const description: Description = { ufrag, pwd, fingerprint, setup, isIceLite, bundle, sections }
  return { ok: true, description }
}

/** The lines before the first `m=`, then those of each section. */
function splitSections(sdp: string): string[][] {
  const parts: string[][] = [[]]
  for (const line of sdp.split(/\r\n|\r|\n/)) {
    if (line.startsWith('m=')) {
      // One more than allowed is enough to refuse.
      if (parts.length > MAX_SECTIONS + 1) break
      parts.push([])
    }
    parts.at(-1)?.push(line)
  }
  return parts
}

function attribute(lines: readonly string[], name: string): string | undefined {
  const start = `a=${name}`
  return lines
    .find((line) => line.startsWith(start))
    ?.slice(start.length)
    .trim()
}

/** SHA-256 is preferred, because all our peers use it. */
function readFingerprint(lines: readonly string[]): string | null {
  const found: string[] = []
  for (const line of lines) {
    const match = line.startsWith('a=fingerprint:')
      ? FINGERPRINT.exec(line.slice('a=fingerprint:'.length).trim())
      : null
    if (match) found.push(`${match[1]?.toLowerCase()} ${match[2]?.toUpperCase()}`)
  }
  return found.find((fingerprint) => fingerprint.startsWith('sha-256')) ?? found[0] ?? null
}

function readSetup(lines: readonly string[]): Description['setup'] {
  const setup = attribute(lines, 'setup:')
  return setup === 'active' || setup === 'passive' ? setup : 'actpass'
}

const refuse = (problem: SdpProblem): ReadDescription => ({ ok: false, problem })
