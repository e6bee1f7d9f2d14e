import { LIMITS } from '@portico/contract'
import type { Broadcast, BroadcastAnswer, BroadcastRefusal, Grant } from '@portico/media'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { enterToBroadcast, type Broadcaster } from '../voice/broadcaster.ts'
import { leaveUnlessConnected } from '../voice/end-broadcast.ts'
import type { EmbeddedMedia } from './embedded-media.ts'
import { WhipError } from './whip-error.ts'

type Offer = Omit<Broadcast, 'grant' | 'channelId'>

/** Lets a person's program into the room of their stream key; if nothing comes of it, the person leaves the room again. */
export async function beginBroadcast(
  services: Services,
  media: EmbeddedMedia,
  broadcaster: Broadcaster,
  offer: Offer,
): Promise<BroadcastAnswer> {
  const grant: Grant = { ...(await enterToBroadcast(services, broadcaster)), canSubscribe: false }
  try {
    const answer = await admit(media, grant, { ...offer, channelId: broadcaster.channelId })
    if (answer === 'full') throw new WhipError(503, 'Too many people broadcast or watch here now.', RETRY)
    if (answer === 'personFull') throw new WhipError(429, TOO_MANY.ofPerson, RETRY)
    if (answer === 'channelFull') throw new WhipError(429, TOO_MANY.ofChannel, RETRY)
    if (answer === 'nothing') {
      throw new Refusal('unprocessable', {
        message: 'The offer contains nothing that can be broadcast: send H.264 or VP8 with Opus, in one bundle.',
      })
    }
    return answer
  } catch (error) {
    await leaveUnlessConnected(services, grant.roomId, grant.identity)
    throw error
  }
}

const RETRY = { 'retry-after': '30' }
const TOO_MANY = {
  ofPerson: `You have ${LIMITS.broadcastsOfPerson} broadcasts with programs, the most at the same time. End one of them first.`,
  ofChannel: `This channel has ${LIMITS.broadcastsOfChannel} broadcasts with programs, the most at the same time. Try again when one has ended.`,
}

/** Checked like every client that connects: a kick or mute since the key was accepted still counts. */
async function admit(
  media: EmbeddedMedia,
  grant: Grant,
  offer: Omit<Broadcast, 'grant'>,
): Promise<BroadcastAnswer | BroadcastRefusal> {
  let answering: Promise<BroadcastAnswer | BroadcastRefusal> | undefined
  await media.admit(grant, (allowed) => {
    if (allowed.canPublish) answering = media.broadcast({ grant: allowed, ...offer })
  })
  if (!answering) throw new Refusal('forbidden', { message: 'You can’t broadcast in this room now.' })
  return answering
}
