/** How many times as long everything may take while the machine is busy. */
const WHILE_BUSY = 5

/** Returns what says whether it was waited long enough: longer if the machine was busy meanwhile, because no promise is about its speed. */
export function patience(within: number, isMachineBusy: () => boolean, now = () => performance.now()): () => boolean {
  const start = now()
  let wasBusy = false
  return () => {
    wasBusy ||= isMachineBusy()
    return now() - start > (wasBusy ? WHILE_BUSY * within : within)
  }
}
