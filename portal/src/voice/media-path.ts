/** How media travels to the media server and back. Shares are from 0 to 1, absent if nothing travelled. */
export interface MediaPath {
  /** `relay`: over a TURN server. */
  readonly kind: 'udp' | 'tcp' | 'relay' | 'unknown'
  /** The port of the media server, or of the TURN server. */
  readonly port?: number | undefined
  readonly roundTripMs?: number | undefined
  readonly lostFromHere?: number | undefined
  readonly lostToHere?: number | undefined
  /** Packets of the own microphone since the first reading. */
  readonly sent: number
}

/** What is read of browsers' statistics; TypeScript doesn't know all of it. */
interface Entry {
  readonly id: string
  readonly type: string
  readonly kind?: string
  readonly selectedCandidatePairId?: string
  readonly localCandidateId?: string
  readonly remoteCandidateId?: string
  readonly nominated?: boolean
  readonly selected?: boolean
  readonly currentRoundTripTime?: number
  readonly candidateType?: string
  readonly protocol?: string
  readonly port?: number
  readonly packetsLost?: number
  readonly packetsReceived?: number
  readonly packetsSent?: number
  readonly fractionLost?: number
}

/** One reading of a connection's statistics. */
export type Statistics = ReadonlyMap<string, Entry>

/** The statistics of what is sent and what is received, at one moment. */
export interface Reading {
  readonly sending: Statistics | undefined
  readonly receiving: Statistics | undefined
}

/** What two readings with a few seconds between them say. */
export function readPath(before: Reading, after: Reading): MediaPath {
  const pair = selectedPair(after.sending) ?? selectedPair(after.receiving)
  const statistics = selectedPair(after.sending) ? after.sending : after.receiving
  const [local, remote] = [pair?.localCandidateId, pair?.remoteCandidateId].map((id) => statistics?.get(id ?? ''))
  const reports = entries(after.sending, 'remote-inbound-rtp').filter(({ kind }) => kind === 'audio')
  const lost = grown(before.receiving, after.receiving, 'inbound-rtp', 'packetsLost')
  const received = grown(before.receiving, after.receiving, 'inbound-rtp', 'packetsReceived')
  const seconds = pair?.currentRoundTripTime
  return {
    kind: kindOf(local, remote),
    port: remote?.port,
    roundTripMs: seconds === undefined ? undefined : Math.round(seconds * 1000),
    lostFromHere: reports.length > 0 ? Math.max(...reports.map(({ fractionLost = 0 }) => fractionLost)) : undefined,
    // Repeated packets can make the number of lost ones fall.
    lostToHere: received > 0 ? Math.max(0, lost) / (Math.max(0, lost) + received) : undefined,
    sent: grown(before.sending, after.sending, 'outbound-rtp', 'packetsSent'),
  }
}

function kindOf(local: Entry | undefined, remote: Entry | undefined): MediaPath['kind'] {
  if (!local) return 'unknown'
  if (local.candidateType === 'relay' || remote?.candidateType === 'relay') return 'relay'
  return local.protocol === 'tcp' ? 'tcp' : 'udp'
}

function selectedPair(statistics: Statistics | undefined): Entry | undefined {
  for (const { selectedCandidatePairId: id } of entries(statistics, 'transport')) {
    const pair = statistics?.get(id ?? '')
    if (pair) return pair
  }
  // Firefox has no transports.
  return entries(statistics, 'candidate-pair').find(({ nominated, selected }) => nominated && selected !== false)
}

/** By how much a figure of all sound has grown. */
function grown(
  before: Statistics | undefined,
  after: Statistics | undefined,
  type: string,
  figure: 'packetsLost' | 'packetsReceived' | 'packetsSent',
): number {
  return entries(after, type)
    .filter(({ kind }) => kind === 'audio')
    .reduce((sum, entry) => sum + (entry[figure] ?? 0) - (before?.get(entry.id)?.[figure] ?? 0), 0)
}

function entries(statistics: Statistics | undefined, type: string): Entry[] {
  return [...(statistics?.values() ?? [])].filter((entry) => entry.type === type)
}
