import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DEFAULT_ROLES, LIMITS, RIGHTS, SCOPES } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { KEY_PATTERN, newSecret, KEY_PREFIX } from '../applications/key.ts'

const root = join(import.meta.dirname, '../../..')
const program = join(root, 'examples/hello.ts')
const guide = await readFile(join(root, 'docs/bot-api.md'), 'utf8')

describe('the guide for bot developers', () => {
  test('shows the first bot’s real code', async () => {
    expect(guide).toContain(`\`\`\`ts\n${(await readFile(program, 'utf8')).trimEnd()}\n\`\`\``)
  })

  test('lists the real scopes, rights and limits', () => {
    for (const [scope, opens] of Object.entries(SCOPES)) expect(guide).toContain(`| \`${scope}\` | ${opens} |`)
    const roles = ['CHANNEL_BOT', 'CHANNEL_MEMBER', 'CHANNEL_MODERATOR', 'CHANNEL_ADMIN'] as const
    for (const right of RIGHTS) {
      const marks = roles.map((role) => (DEFAULT_ROLES[role].rights.includes(right) ? '✓' : ''))
      expect(guide).toContain(`| \`${right}\` | ${marks.join(' | ')} |`)
    }
    const { requestQuota, writeQuota, quotaWindow, commands, commandName } = LIMITS
    expect(guide).toContain(`**${requestQuota} requests in any ${quotaWindow} seconds**, and **${writeQuota} of them`)
    expect(guide).toMatch(new RegExp(`At most ${commands}\\s+commands; names of up to ${commandName} `))
  })

  test('contains the pattern of keys for scanners', () => {
    expect(guide).toContain(`\\b${KEY_PATTERN}\\b`)
    expect(newSecret(KEY_PREFIX)).toMatch(new RegExp(`^${KEY_PATTERN}$`))
  })

  test('has an anchor for every entry in its table of contents', () => {
    const headings = [...guide.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z ]/g, '')
        .replaceAll(' ', '-'),
    )
    expect([...guide.matchAll(/^- \[.+\]\(#(.+)\)$/gm)].map(([, anchor]) => anchor)).toEqual(headings)
  })
})
