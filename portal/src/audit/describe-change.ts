import { m } from '#paraglide/messages.js'

/** The shape in which the log stores a changed field. */
export function isChange(value: unknown): value is { from: unknown; to: unknown } {
  return typeof value === 'object' && value !== null && 'from' in value && 'to' in value
}

/** A value of the log as text. */
export function formatValue(value: unknown): string {
  if (value === true) return m.audit_yes()
  if (value === false) return m.audit_no()
  if (typeof value === 'string' && value !== '') return value
  return typeof value === 'number' ? String(value) : m.audit_nothing()
}
