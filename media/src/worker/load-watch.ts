/** In milliseconds. */
const SAMPLE_EVERY = 5000
/** The share of one core above which the media server is near its limit, and the samples in a row that show it. */
const NEAR_LIMIT = 0.7
const SAMPLES = 6
/** Below this it has recovered, and the next overload is logged again. */
const RECOVERED = 0.5

/** Warns once when this thread has needed most of a core for half a minute. */
export function watchLoad(warn: (text: string, fields: object) => void): NodeJS.Timeout {
  let before = { at: performance.now(), cpu: cpuMilliseconds() }
  let busy = 0
  return setInterval(() => {
    const now = { at: performance.now(), cpu: cpuMilliseconds() }
    const load = (now.cpu - before.cpu) / (now.at - before.at)
    before = now
    if (load < NEAR_LIMIT) {
      if (load < RECOVERED || busy < SAMPLES) busy = 0
      return
    }
    busy += 1
    if (busy === SAMPLES) warn('the media server is near its limit', { load: Math.round(load * 100) / 100 })
  }, SAMPLE_EVERY).unref()
}

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
