import { ParticipantPermission } from '@livekit/protocol'
import type { Grant } from '../signal/verify-token.ts'

/** What a participant may do now; the portal changes it while they are connected. */
export interface Permissions {
  readonly canPublish: boolean
  readonly canSubscribe: boolean
}

export function permissionsOf({ canPublish, canSubscribe }: Grant): Permissions {
  return { canPublish, canSubscribe }
}

/** Data channels are negotiated and carry nothing, so nobody may publish data. */
export function toProtocol({ canPublish, canSubscribe }: Permissions): ParticipantPermission {
  return new ParticipantPermission({ canPublish, canSubscribe, canPublishData: false })
}
