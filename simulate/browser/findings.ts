import { join } from 'node:path'
import type { Counted } from './report.ts'
import { resolveStack, type FindMap } from './stacks.ts'
import type { Usage } from './usage.ts'
import type { Rule, Violation } from './violation.ts'
import type { Visitor } from './visitor.ts'

/** How many steps of a person a failure shows. */
const SHOWN_STEPS = 30

interface FindingsOptions {
  readonly folder: string
  readonly findMap: FindMap
  readonly usage: Usage
  /** Called for each violation of a new kind. */
  readonly found: (counted: Counted) => void
}

/** The violations of a run. What differs only in names and numbers is shown once. */
export class Findings {
  readonly #options: FindingsOptions
  readonly #found = new Map<string, Counted>()
  readonly #completing: Promise<void>[] = []

  constructor(options: FindingsOptions) {
    this.#options = options
  }

  get all(): readonly Counted[] {
    return [...this.#found.values()]
  }

  add(rule: Rule, what: string, visitor?: Visitor, stack?: string): void {
    const key = `${rule} ${this.#options.usage.plain(what)}`
    const before = this.#found.get(key)
    if (before) {
      this.#found.set(key, { ...before, times: before.times + 1 })
      return
    }
    const steps = visitor?.steps.slice(-SHOWN_STEPS) ?? []
    const person = visitor ? `${visitor.name}, disturbance: ${visitor.disturbance}` : 'the program'
    const violation: Violation = { rule, what, person, steps, screenshot: undefined, stack }
    this.#found.set(key, { violation, times: 1 })
    this.#options.found({ violation, times: 1 })
    this.#completing.push(this.#complete(key, visitor))
  }

  /** Resolves when each violation has its screenshot and its stack. */
  async completed(): Promise<void> {
    await Promise.all(this.#completing)
  }

  async #complete(key: string, visitor: Visitor | undefined): Promise<void> {
    const { folder, findMap } = this.#options
    const path = join(folder, `violation-${this.#found.size}.png`)
    const screenshot = await visitor?.page.screenshot({ path, timeout: 10_000 }).then(
      () => path,
      () => undefined,
    )
    const stack = this.#found.get(key)?.violation.stack
    const resolved = stack === undefined ? undefined : await resolveStack(stack, findMap)
    const counted = this.#found.get(key)
    if (counted) this.#found.set(key, { ...counted, violation: { ...counted.violation, screenshot, stack: resolved } })
  }
}
