import {
  DisconnectReason,
  LeaveRequest_Action as LeaveAction,
  ParticipantInfo_State as State,
  TrackSource,
  type ParticipantInfo,
  type TrackInfo,
} from '@livekit/protocol'
import type { ServerMessage } from './signal-recorder.ts'

/** Hints and what is sent by the clock: either server may send them at any moment, or not at all. */
const HINTS = new Set<ServerMessage['case']>([
  'pong',
  'pongResp',
  'refreshToken',
  'speakersChanged',
  'connectionQuality',
  'roomUpdate',
  'streamStateUpdate',
  'subscribedQualityUpdate',
  'subscriptionPermissionUpdate',
])

/** The messages to one client, in lines that are the same for every server and run: without ids, times and counts. */
export class SignalOutline {
  readonly #own: string
  readonly #names: ReadonlyMap<string, string>
  /** What tracks are called, by sid. */
  readonly #tracks = new Map<string, string>()
  /** What was last said of participants: an update that repeats it says nothing. */
  readonly #known = new Map<string, string>()

  /** `own` is the client's identity, `names` are those of all participants by identity. */
  constructor(own: string, names: ReadonlyMap<string, string>) {
    this.#own = own
    this.#names = names
  }

  lines({ case: kind, value }: ServerMessage): string[] {
    if (HINTS.has(kind)) return []
    switch (kind) {
      case 'join': {
        const { otherParticipants, subscriberPrimary, pingInterval, pingTimeout } = value
        const others = otherParticipants.map((other) => this.#participant(other)).join('; ')
        return [`join: ${others || 'nobody'}, primary ${subscriberPrimary}, ping ${pingInterval}/${pingTimeout}`]
      }
      case 'update':
        return value.participants.flatMap((participant) => this.#update(participant))
      case 'trackPublished':
        return [`trackPublished: ${value.track ? this.#track(value.track) : 'nothing'}`]
      case 'trackUnpublished':
      case 'trackSubscribed':
        return [`${kind}: ${this.#tracks.get(value.trackSid)}`]
      case 'offer':
        return [`offer: ${sections(value.sdp)}`]
      case 'leave':
        return [`leave: ${DisconnectReason[value.reason]}, ${LeaveAction[value.action]}`]
      default:
        return [kind]
    }
  }

  #update(info: ParticipantInfo): string[] {
    const shown = this.#participant(info)
    // A client knows what it did itself.
    if (info.identity === this.#own || this.#known.get(info.identity) === shown) return []
    this.#known.set(info.identity, shown)
    return [`update: ${shown}`]
  }

  #participant({ identity, state, tracks }: ParticipantInfo): string {
    const shown = tracks.map((track) => this.#track(track)).toSorted()
    return `${this.#names.get(identity)} ${State[state]} [${shown.join(', ')}]`
  }

  #track({ sid, source, muted, mimeType }: TrackInfo): string {
    const name = TrackSource[source].toLowerCase()
    this.#tracks.set(sid, name)
    // Audio with redundancy is Opus too.
    const codec = mimeType.toLowerCase().replace('audio/red', 'audio/opus')
    return [name, codec, muted && 'muted'].filter(Boolean).join(' ')
  }
}

/** The kinds of sections in which something may be sent. Their order depends on which track was subscribed first. */
function sections(sdp: string): string {
  const all = sdp.split(/^m=/m).slice(1)
  const open = all.filter((section) => section.startsWith('application') || /^a=send(only|recv)/m.test(section))
  return open
    .map((section) => section.split(' ')[0])
    .toSorted()
    .join(', ')
}
