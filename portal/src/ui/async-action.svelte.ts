import { host } from './host.ts'

export interface Action {
  readonly busy: boolean
  /** Why the last run failed. */
  readonly problem: string | undefined
  run(): Promise<void>
}

/** An asynchronous action behind one button, with its progress and error. */
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
        problem = () => host.explainError(error)
      }
      busy = false
    },
  }
}
