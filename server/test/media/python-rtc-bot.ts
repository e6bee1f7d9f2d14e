import { join } from 'node:path'
import { ReportingProgram } from '../reporting-program.ts'
import { pythonWith } from '../python-with.ts'

const PROGRAM = join(import.meta.dirname, 'python-rtc-bot.py')
const PYTHON = await pythonWith('python-livekit', ['livekit==1.2.0'], 'livekit.rtc')

/** Whether LiveKit's client for Python is installed. */
export const haveLivekitForPython = PYTHON !== undefined

interface Said {
  readonly what: 'connected' | 'disconnected' | 'heard'
  readonly reason?: string
  readonly identity?: string
  /** The strongest one, in hertz. */
  readonly frequency?: number
}

/** A bot that plays tones and says what it hears, with LiveKit's client for Python. Stopped after the test. */
export class PythonRtcBot extends ReportingProgram<Said> {
  static async connect(url: string, token: string): Promise<PythonRtcBot> {
    const bot = new PythonRtcBot(PYTHON, [PROGRAM, url, token])
    await bot.until(() => bot.of('connected').length > 0)
    return bot
  }

  /** Publishes a sine of this frequency until it is disconnected. */
  play(frequency: number): void {
    this.write(`play ${frequency}`)
  }

  hears(identity: string, frequency: number): Promise<void> {
    const isHeard = (said: Said): boolean =>
      said.identity === identity && Math.abs((said.frequency ?? 0) - frequency) < 5
    return this.until(() => this.of('heard').some(isHeard))
  }
}
