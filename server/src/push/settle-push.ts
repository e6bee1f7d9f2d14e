import type { Pool } from 'pg'
import type { ClaimedPush } from './claim-pushes.ts'

/** A newer message may have taken its place meanwhile: that one stays. */
const SAME = 'session_id = $1 AND room_id = $2 AND message_id = $3'

/** It was accepted, or is not to be sent. */
export async function deletePush(pool: Pool, push: ClaimedPush): Promise<void> {
  await pool.query(`DELETE FROM pushes WHERE ${SAME}`, keyOf(push))
}

/** It is attempted again after so many seconds. */
export async function retryPush(pool: Pool, push: ClaimedPush, seconds: number): Promise<void> {
  await pool.query(`UPDATE pushes SET next_attempt_at = now() + make_interval(secs => $4::float8) WHERE ${SAME}`, [
    ...keyOf(push),
    seconds,
  ])
}

/** It was not attempted, and is looked at again after so many seconds. */
export async function postponePush(pool: Pool, push: ClaimedPush, seconds: number): Promise<void> {
  await pool.query(
    `UPDATE pushes SET attempts = attempts - 1, next_attempt_at = now() + make_interval(secs => $4::float8) WHERE ${SAME}`,
    [...keyOf(push), seconds],
  )
}

/** The browser has unsubscribed. It may have subscribed again meanwhile: then this was another address. */
export async function deleteGoneSubscription(pool: Pool, { sessionId, sealed }: ClaimedPush): Promise<void> {
  await pool.query('DELETE FROM push_subscriptions WHERE session_id = $1 AND sealed = $2', [sessionId, sealed])
}

function keyOf({ sessionId, roomId, messageId }: ClaimedPush): string[] {
  return [sessionId, roomId, messageId]
}
