import { History } from '../history/history.ts'

/** The level of pino from which on a line is an error. */
const ERROR = 50

type Entry = Parameters<History['add']>[0]

/** What no slowness of the machine explains. */
const DEFECT = /internal error|unhandled|uncaught/i

/** Reports what the program says about itself: errors, and that it has ended. On a busy machine, it may log that something took too long. */
export class WatchedHistory extends History {
  readonly #complain: (what: string) => void

  constructor(path: string, complain: (what: string) => void) {
    super(path)
    this.#complain = complain
  }

  override add(entry: Entry): void {
    super.add(entry)
    if (entry.kind === 'ended') this.#complain(`the program ended: ${entry.output.slice(-500)}`)
    if (entry.kind === 'log' && isError(entry.line) && (!this.isMachineBusy || DEFECT.test(entry.line)))
      this.#complain(entry.line.slice(0, 500))
  }
}

function isError(line: string): boolean {
  if (!line.startsWith('{')) return false
  const { level } = JSON.parse(line) as { level?: number }
  return (level ?? 0) >= ERROR
}
