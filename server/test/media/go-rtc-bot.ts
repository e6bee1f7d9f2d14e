import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isFullRun } from '../full-run.ts'
import { ReportingProgram } from '../reporting-program.ts'

const PROGRAM = join(import.meta.dirname, '../../../.cache/go-client')
/** In milliseconds: on a busy machine only a hang may time out. */
const PATIENCE = 1_200_000

/** The program with LiveKit’s client for Go; undefined if it can’t be built, which needs Go and a network. */
export const goClient: string | undefined = await build()

async function build(): Promise<string | undefined> {
  if (!isFullRun) return undefined
  const env = { ...process.env, CGO_ENABLED: '0' }
  const cwd = join(import.meta.dirname, 'go-client')
  try {
    await promisify(execFile)('go', ['build', '-o', PROGRAM, '.'], { cwd, env, timeout: PATIENCE })
    return PROGRAM
  } catch {
    return undefined
  }
}

interface Said {
  readonly what: 'connected' | 'subscribed' | 'reconnecting' | 'disconnected' | 'data failed' | 'failed'
  readonly identity?: string
  readonly reason?: string
}

/** A bot that sends back what it hears, with LiveKit’s client for Go. Stopped after the test. */
export class GoRtcBot extends ReportingProgram<Said> {
  static async connect(url: string, token: string): Promise<GoRtcBot> {
    const bot = new GoRtcBot(goClient, [url, token])
    await bot.until(() => bot.said.some(({ what }) => what === 'connected' || what === 'failed'))
    return bot
  }
}
