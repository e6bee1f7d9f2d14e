import { createHash } from 'node:crypto'
import { script, type Redis } from '../redis/redis.ts'
import type { AcceptedAges } from './counting-store.ts'

/** In a Redis Cluster, subjects are spread over this many slots. */
const SLOTS = 32

export type RedisTaken =
  | { readonly isAccepted: true; readonly remaining: number; readonly takenAt: number }
  | { readonly isAccepted: false; readonly wait: number }

/**
 * Sliding-window logs in Redis, by the clock of Redis alone. A window is a list of the times of accepted requests, and expires
 * by itself. Every slot has a key with the token of the counters: a Redis that has forgotten them, or has others, has not got
 * the token, and the answer is undefined.
 */
export class RedisWindows {
  readonly #redis: Redis
  /** In microseconds. */
  readonly #length: string

  constructor(redis: Redis, length: number) {
    this.#redis = redis
    this.#length = String(length)
  }

  async take(token: string, subject: string, limit: number): Promise<RedisTaken | undefined> {
    const answer = await this.#redis.run(TAKE, keysOf(token, subject), [token, this.#length, String(limit)])
    const [isAccepted, value = 0, takenAt = 0] = numbers(answer)
    if (isAccepted === undefined) return undefined
    return isAccepted === 1 ? { isAccepted: true, remaining: value, takenAt } : { isAccepted: false, wait: value }
  }

  async giveBack(token: string, subject: string, takenAt: number): Promise<unknown> {
    return this.#redis.run(GIVE_BACK, keysOf(token, subject), [String(takenAt)])
  }

  /** How long ago the requests in the window were accepted, in microseconds, the oldest first. */
  async ages(token: string, subject: string): Promise<readonly number[] | undefined> {
    const answer = await this.#redis.run(AGES, keysOf(token, subject), [token, this.#length])
    return answer === null ? undefined : numbers(answer)
  }

  /** Begins counting under a new token. Time that passes meanwhile makes requests appear younger. */
  async load(token: string, accepted: readonly AcceptedAges[]): Promise<void> {
    const slots = Array.from({ length: SLOTS }, (): AcceptedAges[] => [])
    for (const window of accepted) if (window.ages.length > 0) slots[slotOf(window.subject)]?.push(window)
    await Promise.all(
      slots.map((windows, slot) =>
        this.#redis.run(
          LOAD,
          [tokenKey(slot), ...windows.map(({ subject }) => windowKey(token, subject))],
          [token, this.#length, ...windows.map(({ ages }) => ages.map((age) => Math.floor(age)).join())],
        ),
      ),
    )
  }
}

function keysOf(token: string, subject: string): string[] {
  return [tokenKey(slotOf(subject)), windowKey(token, subject)]
}

function tokenKey(slot: number): string {
  return `quotas:{${slot}}`
}

function windowKey(token: string, subject: string): string {
  return `quotas:{${slotOf(subject)}}:${token}:${subject}`
}

function slotOf(subject: string): number {
  return (createHash('sha1').update(subject).digest()[0] ?? 0) % SLOTS
}

function numbers(answer: unknown): number[] {
  return Array.isArray(answer) ? answer.map(Number) : []
}

const CLOCK = `
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]`

/** Stops without an answer if the counters are others. */
const BEGIN = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
  ${CLOCK}
  local start = now - ARGV[2]`

const TAKE = script(`${BEGIN}
  local oldest = redis.call('LINDEX', KEYS[2], 0)
  while oldest and tonumber(oldest) <= start do
    redis.call('LPOP', KEYS[2])
    oldest = redis.call('LINDEX', KEYS[2], 0)
  end
  local limit = tonumber(ARGV[3])
  local count = redis.call('LLEN', KEYS[2])
  if count >= limit then return {0, redis.call('LINDEX', KEYS[2], -limit) - start} end
  redis.call('RPUSH', KEYS[2], string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[2], math.ceil(ARGV[2] / 1000))
  return {1, limit - count - 1, now}`)

const GIVE_BACK = script(`return redis.call('LREM', KEYS[2], -1, ARGV[1])`)

const AGES = script(`${BEGIN}
  local ages = {}
  for _, accepted in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
    if tonumber(accepted) > start then ages[#ages + 1] = now - accepted end
  end
  return ages`)

const LOAD = script(`${CLOCK}
  for index = 2, #KEYS do
    for age in string.gmatch(ARGV[index + 1], '%d+') do
      redis.call('RPUSH', KEYS[index], string.format('%.0f', now - age))
    end
    redis.call('PEXPIRE', KEYS[index], math.ceil(ARGV[2] / 1000))
  end
  redis.call('SET', KEYS[1], ARGV[1])`)
