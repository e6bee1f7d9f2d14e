import { LIMITS } from '@portico/contract/limits'
import { m } from '#paraglide/messages.js'

/** The error in an application's name, if any. */
export function checkName(name: string): (() => string) | undefined {
  const { min, max } = LIMITS.applicationName
  const length = Array.from(name.trim()).length
  if (length === 0) return m.applications_name_missing
  return length < min || length > max ? () => m.applications_name_length({ min, max }) : undefined
}
