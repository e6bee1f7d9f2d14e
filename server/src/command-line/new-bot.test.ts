import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Message } from '@portico/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { portico } from '../../test/portico-process.ts'

const run = promisify(execFile)

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico new bot '))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe('portico new-bot', () => {
  test('writes a project that answers a command with the packed SDK', async () => {
    const parent = await temporaryFolder()
    const folder = join(parent, 'weather-bot')
    const { code, stdout } = await portico(['new-bot', folder], {})
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Wrote a bot to ${folder}`)])

    await run('npm', ['install', '--offline', '--no-audit', '--no-fund'], { cwd: folder })
    const { server, owner, room, channel, bots } = await channelFixture({ bots: 1 })
    await writeFile(join(folder, '.env'), `PORTICO_URL=${server.url}\nPORTICO_KEY=${bots[0].key}\n`)
    const bot = spawn(process.execPath, ['bot.ts'], {
      cwd: folder,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(bot, 'close')
    onTestFinished(async () => {
      bot.kill()
      await ended
    })
    const [said] = (await once(bot.stdout, 'data')) as [Buffer]
    expect(String(said)).toBe(`${bots[0].name} is online\n`)
    const messages = `/rooms/${room.id}/messages`
    const { id } = expectOk(await owner.post<Message>(messages, { channelId: channel.id, text: '/hello' }))
    await eventually(
      async () => expectOk(await owner.get<{ messages: Message[] }>(`${messages}?channelId=${channel.id}`)).messages[0],
    ).toMatchObject({ text: `Hello, **${owner.name}**!`, replyToId: id })
    bot.kill()
    expect(await ended).toEqual([0, null])
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['.gitignore', 'README.md', 'position.json']))
  })

  test('refuses a folder that isn’t empty', async () => {
    const folder = join(await temporaryFolder(), 'taken')
    expect((await portico(['new-bot', folder], {})).code).toBe(0)
    const { code, stderr } = await portico(['new-bot', folder], {})
    expect([code, stderr]).toEqual([2, expect.stringContaining('isn’t an empty folder')])
    const file = await portico(['new-bot', join(folder, 'bot.ts', 'inside')], {})
    expect(file.code).toBe(2)
  })

  test.each([
    [['My Bot'], 'lowercase letters'],
    [['../x/.env'], 'lowercase letters'],
    [['--', '-bot'], 'lowercase letters'],
    [[], 'An argument is missing.'],
    [['-bot'], 'Unknown option'],
    [['one', 'two'], 'Unexpected argument: two'],
  ])('refuses the name %j', async (args, reason) => {
    const { code, stderr } = await portico(['new-bot', ...args], {})
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)])
  })
})
