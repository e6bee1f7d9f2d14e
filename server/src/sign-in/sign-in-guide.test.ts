import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS, USER_SCOPES } from '@portico/contract'
import { expect, test } from 'vitest'
import { OAUTH_PATHS } from '../http/oauth-paths.ts'
import { CLIENT_SECRET_PATTERN, CLIENT_SECRET_PREFIX, newSecret } from '../secrets/generated-secret.ts'

const guide = await readFile(join(import.meta.dirname, '../../../docs/sign-in.md'), 'utf8')

test('the guide for websites lists the real scopes, endpoints, lifetimes and limits', () => {
  for (const [scope, opens] of Object.entries(USER_SCOPES)) expect(guide).toContain(`| \`${scope}\` | ${opens} |`)
  for (const route of Object.values(OAUTH_PATHS)) expect(guide).toContain(`| \`${route}\` |`)
  expect(guide).toContain(`| Code | ${LIMITS.codeLife} seconds`)
  expect(guide).toContain(`| Access token | ${LIMITS.accessTokenLife / 3600} hour |`)
  const [days, years] = [LIMITS.refreshTokenLife / 86_400, LIMITS.grantLife / 86_400 / 365]
  expect(guide).toContain(`| Refresh token | ${days} days from its last use, at most ${years} year`)
  expect(guide).toMatch(new RegExp(`within\\s+${LIMITS.refreshRace} seconds of\\s+the first use`, 'i'))
  expect(guide).toContain(`${LIMITS.requestQuota} in any ${LIMITS.quotaWindow} seconds`)
})

test('the guide for websites shows the pattern of client secrets', () => {
  expect(guide).toContain(`\\b${CLIENT_SECRET_PATTERN}\\b`)
  expect(newSecret(CLIENT_SECRET_PREFIX)).toMatch(new RegExp(`^${CLIENT_SECRET_PATTERN}$`))
})

test('the guide for websites has an anchor for every entry in its table of contents', () => {
  const headings = [...guide.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))
  expect([...guide.matchAll(/^- \[.+\]\(#(.+)\)$/gm)].map(([, anchor]) => anchor)).toEqual(headings)
})
