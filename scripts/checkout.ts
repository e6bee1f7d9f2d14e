import { spawn, type ChildProcess } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A small checkout with our scripts, a stand-in server and a stand-in npm, in a folder with spaces in its name. */
export async function makeCheckout(files: Record<string, string> = {}) {
  const root = await mkdtemp(join(tmpdir(), 'a portico checkout '))
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))
  await cp(import.meta.dirname, join(root, 'scripts'), {
    recursive: true,
    filter: (source) => !source.endsWith('.test.ts'),
  })

  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  for (const [path, text] of Object.entries({ ...standIns, ...files })) await write(path, text)

  const begin = (script: string, args: string[], { env = {}, shell = '' } = {}): Running => {
    const command = [process.execPath, join(root, 'scripts', script), ...args]
    const [file = '', ...rest] = shell ? ['sh', '-c', shell, 'sh', ...command] : command
    const { npm_lifecycle_event: _, PORTICO_TEST_ALL: __, ...inherited } = process.env
    // The browser is never opened, so any file works; without one, the runner would try to install Chromium as root.
    const standIns = { npm_execpath: join(root, 'npm-cli.js'), CHROMIUM: process.execPath }
    const child = spawn(file, rest, { env: { ...inherited, ...standIns, ...env } })
    onTestFinished(() => void child.kill('SIGTERM'))
    return follow(child)
  }

  return {
    root,
    write,
    begin,
    run: (script: string, ...args: string[]) => begin(script, args).ended,
    /** What was requested from npm so far, an entry per call. */
    npmCalls: async () => (await readFile(join(root, 'npm.log'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
  }
}

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves when this was written to standard output. */
  said(text: string): Promise<void>
  /** What was written to standard output so far. */
  output(): string
}

export function follow(child: ChildProcess): Running {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
  const said = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => stdout.includes(text) && resolve()
      child.stdout?.on('data', look)
      void ended.then(() => reject(new Error(`It ended without saying ${text}:\n${stdout}\n${stderr}`)))
      look()
    })
  return { child, ended, said, output: () => stdout }
}

const standIns = {
  'package.json': JSON.stringify({ name: 'portico', private: true, workspaces: ['portal'] }),
  'portal/package.json': JSON.stringify({ name: 'portal', version: '1.0.0' }),
  'package-lock.json': JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { workspaces: ['portal'] },
      portal: { version: '1.0.0' },
      'node_modules/portal': { resolved: 'portal', link: true },
      'node_modules/paint': { version: '1.0.0', integrity: 'sha512-1' },
    },
  }),
  'portal/src/page.html': 'Good morning',
  'contract/src/index.ts': '',
  'server/src/main.ts': `
    const [command, ...args] = process.argv.slice(2)
    console.log('main', command, ...args)
    if (command === 'start') {
      setTimeout(() => process.exit(6), 120_000)
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
        process.on(signal, () => {
          console.log('stopped by', signal)
          setTimeout(() => process.exit(5), 500)
        })
      console.log('serving')
    }
  `,
  'npm-cli.js': `
    const fs = require('node:fs')
    const [command, ...rest] = process.argv.slice(2)
    const kind = rest.find((word) => word.endsWith('=dev'))
    fs.appendFileSync('npm.log', (kind ? command + ' ' + kind : command) + '\\n')
    if (fs.existsSync('package-lock.json') && process.cwd().includes('unfinished')) fs.copyFileSync('package-lock.json', '../../../node-lock.json')
    if (fs.existsSync('out-of-order')) {
      fs.mkdirSync('node_modules/half', { recursive: true })
      console.error('the registry is on holiday')
      process.exit(1)
    }
    if (command === 'ci') {
      fs.rmSync('node_modules', { recursive: true, force: true })
      fs.mkdirSync('busy')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
      fs.rmdirSync('busy')
      fs.mkdirSync('node_modules/paint', { recursive: true })
      if (fs.existsSync('tools')) fs.cpSync('tools', 'node_modules', { recursive: true })
    }
    if (command === 'run') {
      if (fs.existsSync('short-of-memory')) process.kill(process.pid, 'SIGKILL')
      const output = { portal: 'portal/build', sdk: 'sdk/dist' }[rest[rest.indexOf('-w') + 1]]
      fs.mkdirSync(output, { recursive: true })
      fs.writeFileSync(output + '/built', '')
    }
  `,
}
