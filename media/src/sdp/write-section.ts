import type { TransportDescription } from '../transport/transport.ts'
import type { Description } from './description.ts'
import type { ViewerCodec } from './viewer-codec.ts'

/** The lines before the first section. The connection's session id never changes, so a constant will do. */
export function writeSession(version: number, bundle: readonly string[]): string[] {
  return [
    'v=0',
    `o=- 7262536247815219201 ${version} IN IP4 0.0.0.0`,
    's=-',
    't=0 0',
    'a=ice-lite',
    ...(bundle.length > 0 ? [`a=group:BUNDLE ${bundle.join(' ')}`] : []),
    'a=msid-semantic: WMS *',
  ]
}

export function writeTransport(local: TransportDescription, setup: Description['setup']): string[] {
  return [
    `a=ice-ufrag:${local.ufrag}`,
    `a=ice-pwd:${local.pwd}`,
    `a=fingerprint:${local.fingerprint}`,
    `a=setup:${setup}`,
  ]
}

/** In the first section that is in use: the others share its transport. */
export function writeCandidates(candidates: readonly string[]): string[] {
  return [...candidates.map((candidate) => `a=${candidate}`), 'a=end-of-candidates']
}

export function writeCodec({ codec, repairPayloadType, redundantPayloadType }: ViewerCodec): string[] {
  const { payloadType, mime, clockRate, channels, parameters, feedback } = codec
  const name = nameOf(mime)
  const list = [...parameters].map(([key, value]) => (value === '' ? key : `${key}=${value}`)).join(';')
  const clock = `${clockRate}${channels > 1 ? `/${channels}` : ''}`
  return [
    ...(redundantPayloadType === null
      ? []
      : [
          `a=rtpmap:${redundantPayloadType} red/${clock}`,
          `a=fmtp:${redundantPayloadType} ${payloadType}/${payloadType}`,
        ]),
    `a=rtpmap:${payloadType} ${name}/${clock}`,
    ...feedback.map((value) => `a=rtcp-fb:${payloadType} ${value}`),
    ...(list === '' ? [] : [`a=fmtp:${payloadType} ${list}`]),
    ...(repairPayloadType === null
      ? []
      : [`a=rtpmap:${repairPayloadType} rtx/${clockRate}`, `a=fmtp:${repairPayloadType} apt=${payloadType}`]),
  ]
}

/** The first is what is sent by preference. */
export const formatsOf = ({ codec, repairPayloadType, redundantPayloadType }: ViewerCodec): string =>
  [redundantPayloadType, codec.payloadType, repairPayloadType].filter((format) => format !== null).join(' ')

/** Names are not case-sensitive, but old clients compare them as they are usually written. */
function nameOf(mime: string): string {
  const name = mime.slice(mime.indexOf('/') + 1)
  return name === 'opus' ? name : name.toUpperCase()
}

export const toText = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n`
