import { explainError } from '#explain-error.ts'

export interface Action {
  readonly busy: boolean
  /** What went wrong the last time, in words. */
  readonly problem: string | undefined
  run(): Promise<void>
}

/** Something that one button does, which may take a while or fail. */
export function createAsyncAction(work: () => Promise<unknown>): Action {
  let busy = $state(false)
  let problem = $state.raw<() => string>()
  return {
    get busy() {
      return busy
    },
    get problem() {
      return problem?.()
    },
    async run() {
      if (busy) return
      busy = true
      problem = undefined
      try {
        await work()
      } catch (error) {
        problem = () => explainError(error)
      }
      busy = false
    },
  }
}
