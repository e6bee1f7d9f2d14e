import { LIMITS } from '@portico/contract/limits'
import { m } from '#paraglide/messages.js'

type Say = () => string

export function checkNewName(name: string): Say | undefined {
  const { min, max } = LIMITS.accountName
  const length = Array.from(name.trim()).length
  if (length === 0) return m.name_missing
  return length < min || length > max ? () => m.name_length({ min, max }) : undefined
}

export function checkNewPassword(password: string): Say | undefined {
  const { min, max } = LIMITS.password
  const length = Array.from(password).length
  if (length === 0) return m.password_choose
  if (length < min) return () => m.password_short({ min, length })
  return length > max ? () => m.password_long({ max }) : undefined
}
