import { join } from 'node:path'
import type { Bot } from './bot.ts'
import { ReportingProgram } from './reporting-program.ts'
import { pythonWith } from './python-with.ts'
import { socketUrl } from './raw-socket.ts'
import type { TestServer } from './start-server.ts'

const PROGRAM = join(import.meta.dirname, 'python-bot.py')
const PYTHON = await pythonWith('python', ['centrifuge-python>=0.5,<1'], 'centrifuge')

/** Whether the official Python client is installed. */
export const havePythonClient = PYTHON !== undefined

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
export class PythonBot extends ReportingProgram<Said> {
  constructor(server: Pick<TestServer, 'url'>, api: Pick<TestServer, 'url'>, bot: Bot, codec: 'json' | 'protobuf') {
    super(PYTHON, [PROGRAM, socketUrl(server), `${api.url}/api/v1`, bot.key, codec])
  }
}
