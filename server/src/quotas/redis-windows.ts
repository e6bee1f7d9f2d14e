import { createHash } from 'node:crypto'
import { script, type Redis } from '../redis/redis.ts'
import type { AcceptedAges } from './counting-store.ts'

/** In a Redis Cluster, subjects are spread over this many slots. */
const SLOTS = 32

export type RedisTaken =
  | { readonly isAccepted: true; readonly remaining: number; readonly takenAt: number }
  | { readonly isAccepted: false; readonly wait: number }

/** Requests of one subject that are counted together. */
interface Group {
  readonly token: string
  readonly subject: string
  readonly limit: number
  readonly waiting: PromiseWithResolvers<RedisTaken | undefined>[]
}

/**
 * Sliding-window logs in Redis, by the clock of Redis alone. A window is a list of the times of accepted requests, and expires
 * by itself. Every slot has a key with the token of the counters: a Redis that has forgotten them, or has others, has not got
 * the token, and the answer is undefined.
 */
export class RedisWindows {
  readonly #redis: Redis
  /** In microseconds. */
  readonly #length: string
  #groups = new Map<string, Group>()

  constructor(redis: Redis, length: number) {
    this.#redis = redis
    this.#length = String(length)
  }

  /** Requests of one turn of the event loop share a command. */
  take(token: string, subject: string, limit: number): Promise<RedisTaken | undefined> {
    if (this.#groups.size === 0) setImmediate(() => this.#takeAll())
    const id = `${token} ${limit} ${subject}`
    let group = this.#groups.get(id)
    if (!group) this.#groups.set(id, (group = { token, subject, limit, waiting: [] }))
    const taken = Promise.withResolvers<RedisTaken | undefined>()
    group.waiting.push(taken)
    return taken.promise
  }

  #takeAll(): void {
    const groups = [...this.#groups.values()]
    this.#groups = new Map()
    if (!this.#redis.isSharded) return void this.#takeTogether(groups)
    for (const together of Map.groupBy(groups, ({ subject }) => slotOf(subject)).values()) {
      void this.#takeTogether(together)
    }
  }

  async #takeTogether(groups: readonly Group[]): Promise<void> {
    const keys = groups.flatMap(({ token, subject }) => keysOf(token, subject))
    const args = groups.flatMap(({ token, limit, waiting }) => [token, String(limit), String(waiting.length)])
    try {
      const answers = (await this.#redis.run(TAKE, keys, [this.#length, ...args])) as unknown[]
      for (const [position, group] of groups.entries()) answer(group, numbers(answers[position]))
    } catch (error) {
      for (const { waiting } of groups) for (const { reject } of waiting) reject(error)
    }
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

/** Nothing was answered if the counters are others. */
function answer(
  { limit, waiting }: Group,
  [accepted, countBefore = 0, takenAt = 0, wait = 0]: readonly number[],
): void {
  for (const [position, { resolve }] of waiting.entries()) {
    if (accepted === undefined) resolve(undefined)
    else if (position >= accepted) resolve({ isAccepted: false, wait })
    else resolve({ isAccepted: true, remaining: limit - countBefore - position - 1, takenAt })
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
  local clock = redis.call('TIME')
  local now = clock[1] * 1000000 + clock[2]`

/** Stops without an answer if the counters are others. */
const BEGIN = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
  ${CLOCK}
  local start = now - ARGV[2]`

/** For each group: how many are accepted, how many were before, when, and how long the others have to wait. */
const TAKE = script(`${CLOCK}
  local length = ARGV[1]
  local start = now - length
  local time = string.format('%.0f', now)
  local function take(window, limit, wanted)
    local oldest = redis.call('LINDEX', window, 0)
    while oldest and tonumber(oldest) <= start do
      redis.call('LPOP', window)
      oldest = redis.call('LINDEX', window, 0)
    end
    local count = redis.call('LLEN', window)
    local accepted = math.max(0, math.min(wanted, limit - count))
    for _ = 1, accepted do redis.call('RPUSH', window, time) end
    if accepted > 0 then redis.call('PEXPIRE', window, math.ceil(length / 1000)) end
    local wait = accepted < wanted and redis.call('LINDEX', window, -limit) - start or 0
    return {accepted, count, now, wait}
  end
  local answers = {}
  for group = 1, #KEYS / 2 do
    local isKnown = redis.call('GET', KEYS[2 * group - 1]) == ARGV[3 * group - 1]
    answers[group] = isKnown and take(KEYS[2 * group], tonumber(ARGV[3 * group]), tonumber(ARGV[3 * group + 1]))
  end
  return answers`)

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
