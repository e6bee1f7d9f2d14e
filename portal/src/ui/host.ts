/** What components ask of the program around them: they know neither its texts nor its errors. */
interface Host {
  readonly close: () => string
  readonly cancel: () => string
  /** Why something failed, in the reader's language. */
  readonly explainError: (error: unknown) => string
  /** The field that an error names, and its reason. Undefined if it isn't about input. */
  readonly refusedInput: (error: unknown) => { readonly field?: string; readonly reason?: string } | undefined
}

/** Texts are functions, because the reader may choose another language at any time. */
export const host: Host = {
  close: () => 'Close',
  cancel: () => 'Cancel',
  explainError: String,
  refusedInput: () => undefined,
}

/** Called once, before the first component is shown. */
export function setHost(program: Host): void {
  Object.assign(host, program)
}
