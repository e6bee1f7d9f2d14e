import { api, Refused, Unreachable } from '#api/api.ts'
import { defectOf } from './defect-of.ts'

/** How many different defects a page reports. */
const MAX_DEFECTS = 10

const sent = new Set<string>()

/** Refusals and lost connections are no defects. */
export function sendDefect(place: string, error: unknown): void {
  if (!(error instanceof Error) || error instanceof Refused || error instanceof Unreachable) return
  const defect = defectOf(place, error)
  const key = JSON.stringify(defect)
  if (sent.size >= MAX_DEFECTS || sent.has(key)) return
  sent.add(key)
  // Without a connection there is nobody to report to.
  api.reportDefect(defect).catch(() => undefined)
}
