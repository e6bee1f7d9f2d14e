import { USER_SCOPES, type UserScope } from '@portico/contract'
import { errors } from './oidc-errors.ts'

/** Standard names for Portico's scopes. They are granted and answered as they were requested, and mean the same. */
const ALIASES: Readonly<Record<string, UserScope>> = { profile: 'service.identify' }

/** Every scope that a website can be granted. */
export const KNOWN_SCOPES = [...Object.keys(USER_SCOPES), ...Object.keys(ALIASES)]

/** Unknown scopes are ignored, as OpenID Connect Core says: libraries ask for `email` and `offline_access` by default. */
export function knownScopes(scope: unknown): string {
  const requested = scopesIn(scope)
  const known = requested.filter((name) => KNOWN_SCOPES.includes(name))
  if (known.length === 0) {
    const all = Object.keys(USER_SCOPES).join(', ')
    throw new errors.InvalidScope(`scope must contain at least one of ${all}`, requested.join(' '))
  }
  return [...new Set(known)].join(' ')
}

/** The scopes of a refresh, by the names under which they were granted. */
export function scopesToRefresh(scope: unknown, granted: string | undefined): string {
  const names = scopesIn(granted)
  const requested = scopesIn(knownScopes(scope)).map(
    (name) => (names.includes(name) ? undefined : names.find((other) => meaning(other) === meaning(name))) ?? name,
  )
  return [...new Set(requested)].join(' ')
}

/** What scopes allow, without aliases. */
export function allowedBy(scope: unknown): UserScope[] {
  const names = new Set(scopesIn(scope).map(meaning))
  return [...names].filter((name): name is UserScope => Object.hasOwn(USER_SCOPES, name))
}

function meaning(name: string): string {
  return ALIASES[name] ?? name
}

function scopesIn(scope: unknown): string[] {
  return typeof scope === 'string' ? scope.split(' ').filter(Boolean) : []
}
