type RefusalTexts = typeof import('./refusal-texts.ts')

let texts = $state.raw<RefusalTexts>()
let loading: Promise<void> | undefined

/** The texts for refusals, which are loaded with the first refusal: most visits meet none. */
export const refusalTexts = {
  get loaded(): RefusalTexts | undefined {
    return texts
  },
  /** Never fails: without the texts people read the server's English message. */
  load(): Promise<void> {
    loading ??= import('./refusal-texts.ts')
      .then((loaded) => {
        texts = loaded
      })
      .catch(() => {
        loading = undefined
      })
    return loading
  },
}
