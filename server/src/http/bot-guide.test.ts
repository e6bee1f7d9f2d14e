import { execFileSync, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DEFAULT_ROLES, LIMITS, RIGHTS, SCOPES } from '@portico/contract'
import { Bot, Client } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { channelFixture } from '../../test/channel-fixture.ts'
import { KEY_PATTERN, newSecret, KEY_PREFIX } from '../secrets/generated-secret.ts'

const root = join(import.meta.dirname, '../../..')
const program = join(root, 'examples/hello.ts')
const guide = await readFile(join(root, 'docs/bot-api.md'), 'utf8')

/** The code of the guide in a language, after its first heading about the API. */
function samplesIn(language: string): string[] {
  const [, calling = ''] = guide.split('## Call the API')
  return [...calling.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  )
}

const hasPython = spawnSync('python3', ['--version']).status === 0

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

  test('has samples in TypeScript that work as shown', async () => {
    const { server, room, channel, bots, people, newRoom, give } = await channelFixture({ bots: 1, people: 1 })
    const [bot] = bots
    await give(bot, 'CHANNEL_MODERATOR')
    const samples = samplesIn('ts')
    expect(samples.length).toBeGreaterThan(6)
    const given = {
      bot: new Bot({ url: server.url, key: bot.key }),
      client: new Client({ url: server.url, key: bot.key }),
      channelId: channel.id,
      roomId: room.id,
      voiceRoomId: (await newRoom('voice')).id,
      userId: people[0].id,
    }
    const AsyncFunction = (async () => {}).constructor as new (
      ...args: string[]
    ) => (...args: unknown[]) => Promise<void>
    // The first one creates the client.
    for (const sample of samples.slice(1)) {
      const run = new AsyncFunction(...Object.keys(given), sample)
      await expect(run(...Object.values(given)), sample).resolves.toBeUndefined()
    }
    await expect(given.client.getProfile()).rejects.toThrow(/key/)
  })

  test.skipIf(!hasPython)('has samples in Python that are valid', () => {
    const samples = samplesIn('python')
    expect(samples.length).toBeGreaterThan(6)
    const check = 'import ast, json, sys\nfor sample in json.load(sys.stdin): ast.parse(sample)'
    expect(() =>
      execFileSync('python3', ['-c', check], { input: JSON.stringify(samples), stdio: 'pipe' }),
    ).not.toThrow()
  })
})
