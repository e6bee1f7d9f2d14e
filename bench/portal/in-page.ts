export interface Frames {
  /** Milliseconds from each frame to the next. */
  readonly times: readonly number[]
  /** The longest time for which nothing else could happen; 0: never for more than 50 ms. */
  readonly longestTask: number
}

interface InPage {
  /** When the first message of a room was in a frame, on the clock that began with the opening of the page. */
  painted(roomName: string): Promise<number>
  /** The same, counted from the next click. */
  paintedAfterClick(roomName: string): Promise<number>
  frames(milliseconds: number): Promise<Frames>
}

declare global {
  var inPage: InPage
}

/** Runs in the page before anything of its own, so it can use nothing from outside. */
export function measureInPage(): void {
  const painted = (roomName: string): Promise<number> =>
    new Promise((resolve) => {
      const shown = `section[aria-label=${JSON.stringify(roomName)}] [data-landmark=messages][aria-busy=false] article`
      const look = (): void => {
        // What is requested in a frame's callback is run when that frame has been made.
        if (document.querySelector(shown)) setTimeout(() => resolve(performance.now()))
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })

  const paintedAfterClick = (roomName: string): Promise<number> =>
    new Promise((resolve) => {
      const onclick = ({ timeStamp }: MouseEvent): void => void painted(roomName).then((at) => resolve(at - timeStamp))
      addEventListener('click', onclick, { capture: true, once: true })
    })

  const frames = (milliseconds: number): Promise<Frames> =>
    new Promise((resolve) => {
      const times: number[] = []
      let longestTask = 0
      const observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration)
      })
      observer.observe({ type: 'longtask' })
      const begun = performance.now()
      let last: number | undefined
      const next = (now: number): void => {
        if (last !== undefined) times.push(now - last)
        last = now
        if (now - begun < milliseconds) requestAnimationFrame(next)
        else {
          observer.disconnect()
          resolve({ times, longestTask })
        }
      }
      requestAnimationFrame(next)
    })

  globalThis.inPage = { painted, paintedAfterClick, frames }
}
