import { tick } from 'svelte'
import { host } from './host.ts'

type Say = () => string

interface FormOptions<Field extends string> {
  /** In the order on the page: the first invalid field gets the focus. */
  fields: readonly Field[]
  /** Checks that need no request. */
  check: () => Partial<Record<Field, Say | undefined>>
  send: () => Promise<void>
  /** Refusals that are about a field without naming it. */
  about?: Readonly<Record<string, Field>>
}

export interface Form<Field extends string> {
  readonly busy: boolean
  /** An error of the whole form rather than of one field. */
  readonly problem: string | undefined
  field(name: Field): { name: Field; error: string | undefined; oninput: () => void }
  onsubmit(event: SubmitEvent & { currentTarget: HTMLFormElement }): Promise<void>
}

export function createForm<Field extends string>(options: FormOptions<Field>): Form<Field> {
  let errors = $state.raw<ReadonlyMap<Field, Say>>(new Map())
  let problem = $state.raw<Say>()
  let busy = $state(false)

  function check(): ReadonlyMap<Field, Say> {
    const found = options.check()
    return new Map(options.fields.flatMap((name) => (found[name] ? [[name, found[name]]] : [])))
  }

  function fieldOf(error: unknown): Field | undefined {
    const { field, reason } = host.refusedInput(error) ?? {}
    return options.fields.find((name) => name === field) ?? options.about?.[reason ?? '']
  }

  async function send(): Promise<void> {
    try {
      await options.send()
    } catch (error) {
      const field = fieldOf(error)
      if (field === undefined) problem = () => host.explainError(error)
      else errors = new Map([[field, () => host.explainError(error)]])
    }
  }

  return {
    get busy() {
      return busy
    },
    get problem() {
      return problem?.()
    },
    field(name) {
      return {
        name,
        error: errors.get(name)?.(),
        oninput: () => {
          if (errors.has(name)) errors = new Map([...errors].filter(([other]) => other !== name))
        },
      }
    },
    async onsubmit(event) {
      event.preventDefault()
      if (busy) return
      const form = event.currentTarget
      problem = undefined
      errors = check()
      if (errors.size === 0) {
        busy = true
        await send()
        busy = false
      }
      await tick()
      form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    },
  }
}
