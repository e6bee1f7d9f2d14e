import { ROOM_TYPES, type AccessCheck, type RoomType } from '@portico/contract'
import type { Actor, Bot } from '../operations/actor.ts'
import { authorize, judgePlace, type PlaceInput, type PlaceRow } from '../operations/authorize.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'

/** Whether the room admits the bot. Reveals a private room only to callers who see it themselves. */
export async function explainRoom(
  services: Pick<Services, 'database'>,
  actor: Actor,
  bot: Bot,
  input: PlaceInput,
  needs: readonly RoomType[],
  row: PlaceRow | undefined,
): Promise<AccessCheck> {
  const check = { check: 'room' as const, needs: [...needs] }
  if (!row) return { ...check, state: 'unknown' }
  const reason = refusedFor(() => judgePlace(bot, input, { room: needs }, row))
  if (reason === undefined) return { ...check, state: 'passes' }
  if (reason === 'wrong_room_type') return { ...check, state: 'forbids', fault: reason }
  const isThere = row.roomId !== null && (await actorSees(services, actor, input))
  return { ...check, state: 'forbids', fault: isThere ? 'not_admitted' : 'no_such_room' }
}

async function actorSees(services: Pick<Services, 'database'>, actor: Actor, input: PlaceInput): Promise<boolean> {
  try {
    await authorize(services, actor, input, { room: ROOM_TYPES })
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

function refusedFor(judge: () => unknown): string | undefined {
  try {
    judge()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.details.reason
    throw error
  }
}
