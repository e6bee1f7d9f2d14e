const ITEMS = Array.from({ length: 20_000 }, (_, position) => ({
  rank: (position * 7919) % 20_011,
  text: `message ${position}`,
}))

/**
 * The processor time in seconds of a fixed piece of work. It says how fast a processor is at the moment: that differs between
 * machines, and with what their neighbors do.
 */
export function timeReferenceWork() {
  const before = process.cpuUsage()
  JSON.parse(JSON.stringify(ITEMS)).sort(
    (/** @type {{ rank: number }} */ a, /** @type {{ rank: number }} */ b) => a.rank - b.rank,
  )
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
