import { script } from '../redis/redis.ts'
import { TOKEN_RANGE } from './position-tokens.ts'

/** In seconds: longer than a portal without events is worth a key. */
const EXPIRY = 86_400
/** In milliseconds: a node that dies while it repairs keeps others from it for so long. */
const REPAIR_TIME = 1000

/**
 * `settled`: every position up to there was published, or is known to be of no event; `sum`: of its tokens. A position that is published
 * before an earlier one waits in a sorted set, with the topic to which it was published and that of its node if that wants to know.
 *
 * `advance` moves over what waits, and notes in `woken` which topics have to learn of it.
 */
const STATE = `
  local function text(number) return string.format('%.0f', number) end
  local state = redis.call('HMGET', KEYS[1], 'settled', 'sum', 'line')
  local settled, sum, line = tonumber(state[1]), tonumber(state[2]), state[3]
  local woken = {}
  local function raise(position)
    local highest = tonumber(redis.call('GET', KEYS[3]) or 0)
    if position <= highest then return highest end
    redis.call('SET', KEYS[3], text(position), 'EX', ${EXPIRY})
    return position
  end
  local function advance()
    while true do
      local first = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
      if not first then break end
      local position, token, topic, node = string.match(first, '^(%d+) (%d+) (%S+) (%S+)$')
      position = tonumber(position)
      if position > settled + 1 then break end
      redis.call('ZREM', KEYS[2], first)
      if position == settled + 1 then settled, sum = position, (sum + token) % ${TOKEN_RANGE} end
      woken[topic] = true
      if node ~= '-' then woken[node] = true end
    end
    redis.call('HSET', KEYS[1], 'settled', text(settled), 'sum', text(sum))
  end
  local function head()
    if not settled then return '0 0 ' end
    return text(settled) .. ' ' .. text(sum) .. ' '
  end
  local function notify()
    for topic in pairs(woken) do redis.call('SPUBLISH', topic, head()) end
  end`

/**
 * Publishes messages, one for each topic from the fifth key on. ARGV: the positions, each with its token and the index of its topic's
 * key; whether this node wants to learn by itself up to where all is settled; the highest position; the messages. Of several messages,
 * none may say that the others have arrived, so that follows.
 */
export const PUBLISH = script(`${STATE}
  local node = ARGV[2] == '1' and KEYS[4] or '-'
  if settled then
    for seq, token, topic in string.gmatch(ARGV[1], '(%d+) (%d+) (%d+)') do
      local position = tonumber(seq)
      if position == settled + 1 then
        settled, sum = position, (sum + token) % ${TOKEN_RANGE}
      elseif position > settled then
        redis.call('ZADD', KEYS[2], position, seq .. ' ' .. token .. ' ' .. KEYS[tonumber(topic)] .. ' ' .. node)
      end
    end
    advance()
  end
  raise(tonumber(ARGV[3]))
  if #KEYS > 5 then
    for index = 5, #KEYS do
      redis.call('SPUBLISH', KEYS[index], '0 0 ' .. ARGV[index - 1])
      woken[KEYS[index]] = true
    end
  else
    woken[KEYS[5]] = nil
    redis.call('SPUBLISH', KEYS[5], head() .. ARGV[4])
  end
  if node ~= '-' then woken[node] = true end
  notify()`)

/** Tells a node up to where all is settled: as a message, which can't overtake others, and as an answer, which can. */
export const ASK = script(`${STATE}
  local highest = raise(tonumber(ARGV[1]))
  redis.call('SPUBLISH', KEYS[4], head())
  if not settled then return {'', '', '', text(highest)} end
  redis.call('EXPIRE', KEYS[1], ${EXPIRY})
  redis.call('EXPIRE', KEYS[2], ${EXPIRY})
  return {line, text(settled), text(sum), text(highest)}`)

/** Begins to count where the log is settled, if no other node has: ARGV are this position and a random number. */
export const BEGIN = script(`
  if redis.call('EXISTS', KEYS[1]) == 1 then return end
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[1], 'settled', ARGV[1], 'sum', ARGV[2], 'line', ARGV[2])
  redis.call('EXPIRE', KEYS[1], ${EXPIRY})`)

/** Lets one node at a time repair. */
export const TAKE_REPAIR = script(`return redis.call('SET', KEYS[1], '1', 'NX', 'PX', ${REPAIR_TIME}) and 1 or 0`)

/**
 * Publishes what is missing of the positions up to one, which a node has read from the database. ARGV: the line, the position from
 * which it was read, the one up to which, its sum, the positions of the messages, and the messages, each of one event.
 */
export const REPAIR = script(`${STATE}
  redis.call('DEL', KEYS[5])
  local upTo = tonumber(ARGV[3])
  if line ~= ARGV[1] or settled < tonumber(ARGV[2]) then return end
  local missing = {}
  if settled < upTo then
    local index = 6
    for seq in string.gmatch(ARGV[5], '%d+') do
      if tonumber(seq) > settled and redis.call('ZCOUNT', KEYS[2], seq, seq) == 0 then missing[#missing + 1] = index end
      index = index + 1
    end
    settled, sum = upTo, tonumber(ARGV[4])
    advance()
  end
  for _, index in ipairs(missing) do
    redis.call('SPUBLISH', KEYS[index], '0 0 ' .. ARGV[index])
    woken[KEYS[index]] = true
  end
  woken[KEYS[4]] = true
  notify()`)
