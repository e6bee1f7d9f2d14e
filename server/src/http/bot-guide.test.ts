import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DEFAULT_ROLES, LIMITS, RIGHTS, SCOPES, type Message } from '@portico/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectOk } from '../../test/expect-ok.ts'
import { channelFixture } from '../../test/channel-fixture.ts'
import { KEY_PATTERN, newSecret, KEY_PREFIX } from '../applications/key.ts'

const root = join(import.meta.dirname, '../../..')
const program = join(root, 'examples/first-bot.ts')
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

describe('the first bot', () => {
  test('replies once to /hello', async () => {
    const {
      server,
      owner,
      room,
      channel,
      bots: [bot],
    } = await channelFixture({ bots: 1 })
    const child = spawn(process.execPath, [program, room.name], {
      env: { PATH: process.env['PATH'], PORTICO_URL: server.url, PORTICO_KEY: bot.key },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(async () => {
      child.kill()
      await once(child, 'close')
    })
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    expect(said.toString()).toContain('listens in')

    const say = async (text: string): Promise<Message> =>
      expectOk(await owner.post<Message>(`/rooms/${room.id}/messages`, { channelId: channel.id, text }))
    const asked = await say('/hello')
    const history = async (): Promise<Message[]> => {
      const answer = await owner.get<{ messages: Message[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`)
      return expectOk(answer).messages
    }
    await expect.poll(history).toHaveLength(2)
    expect((await history())[0]).toMatchObject({
      text: `Hello, **${owner.name}**!`,
      replyToId: asked.id,
      author: { id: bot.id },
    })

    await say('hello without a slash')
    const again = await say('/hello')
    await expect.poll(history).toHaveLength(5)
    expect((await history())[0]).toMatchObject({ replyToId: again.id })
  })
})
