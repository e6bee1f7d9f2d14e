import type { OptionSuggestions } from '@portico/contract'
import { api, type OperationInput } from '#api/api.ts'
import { subscribe } from '#live/live.svelte.ts'
import { debounced, SEARCH_DELAY_MS } from '#ui/debounced.svelte.ts'

type BotSuggestions = OptionSuggestions['suggestions']
/** An option that is being written. */
export type OptionQuestion = OperationInput<'requestSuggestions'>

/**
 * What a bot suggests for the option that is being written. Only hints: if the bot doesn't answer, or too late, there are none. Until
 * the bot has answered for what is typed now, those of an earlier answer that fit it are offered.
 */
export function botSuggestions(read: () => OptionQuestion | undefined): { readonly current: BotSuggestions } {
  const asked = debounced(() => JSON.stringify(read() ?? null), SEARCH_DELAY_MS)
  let answer = $state.raw<{ readonly question: OptionQuestion; readonly suggestions: BotSuggestions }>()

  $effect(() => {
    const question = JSON.parse(asked.current) as OptionQuestion | null
    if (question) return ask(question, (suggestions) => (answer = { question, suggestions }))
    return undefined
  })

  return {
    get current() {
      const question = read()
      if (!question || !answer || placeOf(question) !== placeOf(answer.question)) return []
      if (question.typed === answer.question.typed) return answer.suggestions
      const wanted = question.typed.toLowerCase()
      return answer.suggestions.filter(({ value, label = '' }) =>
        [value, label].some((each) => each.toLowerCase().startsWith(wanted)),
      )
    },
  }
}

/** Calls back with the first answer, unless the returned function was called before. */
function ask(question: OptionQuestion, take: (suggestions: BotSuggestions) => void): () => void {
  const request = new AbortController()
  /** The answer can arrive before the id of the request. */
  const arrived = new Map<string, BotSuggestions>()
  let id: string | undefined
  const stop = (): void => {
    request.abort()
    unsubscribe()
  }
  const finish = (): void => {
    const suggestions = id === undefined ? undefined : arrived.get(id)
    if (!suggestions) return
    stop()
    take(suggestions)
  }
  const unsubscribe = subscribe('option.suggested', ({ data }) => {
    arrived.set(data.requestId, data.suggestions)
    finish()
  })
  api.requestSuggestions(question, { signal: request.signal }).then(
    (given) => {
      id = given.id
      finish()
    },
    // Without suggestions people write what they want.
    () => undefined,
  )
  return stop
}

function placeOf({ channelId, roomId, botId, command, option }: OptionQuestion): string {
  return [channelId, roomId, botId, command, option].join(' ')
}
