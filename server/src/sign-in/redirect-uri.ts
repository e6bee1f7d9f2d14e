import { wrongField } from '../operations/refusal.ts'

const FORM = /^(https:\/\/|http:\/\/localhost:\d)[!-~]+$/

/**
 * The redirect URI, compared character by character. Refuses URIs that a browser would read differently from a developer.
 */
export function checkedRedirectUri(text: string): string {
  const fault = problemOf(text)
  if (fault !== undefined) throw wrongField('redirectUri', fault, 'redirect_address')
  return text
}

function problemOf(text: string): string | undefined {
  if (text.includes('*')) return 'must be an exact address, without *'
  if (!FORM.test(text) || !URL.canParse(text)) {
    return 'must be an https:// address, or http://localhost:… for testing'
  }
  const { protocol, hostname, username, password } = new URL(text)
  if (username || password) return 'must not contain a user name or password'
  if (text.includes('#')) return 'must not contain a fragment'
  if (text.includes('\\')) return 'must not contain a backslash'
  if (protocol === 'http:' && hostname !== 'localhost') return 'must be https:// unless it is on localhost'
  return undefined
}
