/** Something that a world needs and this machine doesn’t have. */
export class MissingRequirement extends Error {
  constructor(missing: readonly string[]) {
    super(`A cluster needs programs that are not installed:\n${missing.map((one) => `  ${one}`).join('\n')}`)
    this.name = 'MissingRequirement'
  }
}
