import {
  Codec,
  JoinResponse,
  ReconnectResponse,
  Room as RoomInfo,
  ServerInfo,
  ServerInfo_Edition,
  type ICEServer,
} from '@livekit/protocol'
import type { Present } from '../room/rooms.ts'
import type { ServerMessage } from '../signal/codec.ts'

/** In seconds: how often clients ping, and how long they wait for any message before they reconnect. */
const PING_INTERVAL = 5
const PING_TIMEOUT = 15
/** The version of LiveKit's signaling protocol that is spoken. */
const PROTOCOL = 16

/** What a client needs to know of this server. */
export interface ServerFacts {
  readonly version: string
  iceServers(): ICEServer[]
}

/** The first message to a client that joins. */
export function joinMessage({ room, participant }: Present, server: ServerFacts): ServerMessage {
  const value = new JoinResponse({
    room: new RoomInfo({
      sid: room.sid,
      name: room.name,
      creationTime: BigInt(Math.floor(room.createdAt / 1000)),
      creationTimeMs: BigInt(room.createdAt),
      enabledCodecs: codecs(),
      numParticipants: room.participants.length,
    }),
    participant: participant.info(),
    otherParticipants: room.others(participant).map((other) => other.info()),
    serverVersion: server.version,
    serverInfo: serverInfo(server),
    iceServers: server.iceServers(),
    subscriberPrimary: true,
    // The client offers its connection for publishing immediately, so that the first track is heard sooner.
    fastPublish: participant.permissions.canPublish,
    enabledPublishCodecs: codecs(),
    pingInterval: PING_INTERVAL,
    pingTimeout: PING_TIMEOUT,
  })
  return { case: 'join', value }
}

/** The first message to a client that resumes. */
export function reconnectMessage(server: ServerFacts): ServerMessage {
  const value = new ReconnectResponse({ iceServers: server.iceServers(), serverInfo: serverInfo(server) })
  return { case: 'reconnect', value }
}

function serverInfo({ version }: ServerFacts): ServerInfo {
  return new ServerInfo({ edition: ServerInfo_Edition.Standard, version, protocol: PROTOCOL })
}

function codecs(): Codec[] {
  return ['audio/opus', 'audio/red', 'video/VP8', 'video/H264'].map((mime) => new Codec({ mime }))
}
