/** More requests of one kind than this within the window are a loop. */
export const MOST_REQUESTS = 30
/** In milliseconds. */
export const WINDOW = 5000

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** The method and the route of a request, with a placeholder for each id. */
export function kindOf(method: string, url: string): string {
  return `${method} ${new URL(url).pathname.replaceAll(ID, ':id')}`
}

/** Counts the requests of a page. */
export class RequestRate {
  readonly #times = new Map<string, number[]>()

  /** Returns how many there were within the window if that is one too many. Each excess is reported once. */
  add(kind: string, at: number): number | undefined {
    const recent = (this.#times.get(kind) ?? []).filter((time) => time > at - WINDOW)
    recent.push(at)
    this.#times.set(kind, recent)
    return recent.length === MOST_REQUESTS + 1 ? recent.length : undefined
  }
}
