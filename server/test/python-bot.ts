import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import type { Bot } from './bot.ts'
import { socketUrl } from './raw-socket.ts'
import type { TestServer } from './start-server.ts'

const FOLDER = join(import.meta.dirname, '../../.cache/python')
const PYTHON = join(FOLDER, 'bin/python')
const CLIENT = 'centrifuge-python>=0.5,<1'
const run = promisify(execFile)

/** Whether the official Python client is installed or can be installed, which needs Python and a network. */
export async function havePythonClient(): Promise<boolean> {
  const isThere = () => run(PYTHON, ['-c', 'import centrifuge'])
  try {
    if (existsSync(PYTHON)) return Boolean(await isThere())
    await run('python3', ['-m', 'venv', FOLDER], { timeout: 120_000 })
    await run(PYTHON, ['-m', 'pip', 'install', '-q', CLIENT], { timeout: 120_000 })
    return Boolean(await isThere())
  } catch {
    return false
  }
}

export interface Said {
  readonly what: 'connected' | 'connecting' | 'disconnected' | 'subscribed' | 'publication'
  readonly code?: number
  readonly reason?: string
  readonly wasRecovering?: boolean
  readonly recovered?: boolean
  readonly offset?: number
  readonly text?: string
}

/** A bot in Python, run as its author would run it. Stopped after the test. */
export class PythonBot {
  readonly said: Said[] = []
  #waiting: (() => void)[] = []
  #ended = ''

  constructor(server: Pick<TestServer, 'url'>, api: Pick<TestServer, 'url'>, bot: Bot, codec: 'json' | 'protobuf') {
    const program = join(import.meta.dirname, 'python-bot.py')
    const child = spawn(PYTHON, [program, socketUrl(server), `${api.url}/api/v1`, bot.key, codec])
    let stderr = ''
    child.stderr.on('data', (chunk) => (stderr += String(chunk)))
    createInterface(child.stdout).on('line', (line) => {
      this.said.push(JSON.parse(line) as Said)
      this.#wake()
    })
    const ended = once(child, 'close').then(() => {
      this.#ended = `the Python bot ended:\n${stderr}`
      this.#wake()
    })
    onTestFinished(async () => {
      child.kill()
      await ended
    })
  }

  of(what: Said['what']): Said[] {
    return this.said.filter((said) => said.what === what)
  }

  async until(happened: () => boolean): Promise<void> {
    while (!happened()) {
      if (this.#ended !== '') throw new Error(this.#ended)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  #wake(): void {
    for (const waiting of this.#waiting.splice(0)) waiting()
  }
}
