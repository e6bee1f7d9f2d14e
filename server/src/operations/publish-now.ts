import { RedisUnavailable } from '../redis/redis.ts'
import { Refusal } from './refusal.ts'

/** For an ephemeral event that the request is about: one that is too long to be sent without Redis is refused. */
export async function publishNow(publishing: Promise<void>): Promise<void> {
  try {
    await publishing
  } catch (error) {
    throw error instanceof RedisUnavailable ? new Refusal('timeout') : error
  }
}
