/** A fault that keeps the program from starting, told to the operator: what is wrong, and what to do about it. */
export class StartFault extends Error {
  readonly cure: string

  constructor(problem: string, cure: string, options?: ErrorOptions) {
    super(problem, options)
    this.name = 'StartFault'
    this.cure = cure
  }
}
