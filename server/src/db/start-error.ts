/** An error that prevents the start, for the operator: what is wrong, and what to do about it. */
export class StartError extends Error {
  readonly hint: string

  constructor(problem: string, hint: string, options?: ErrorOptions) {
    super(problem, options)
    this.name = 'StartError'
    this.hint = hint
  }
}
