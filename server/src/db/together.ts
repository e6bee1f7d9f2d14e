interface Waiting<Asked, Answer> {
  readonly asked: Asked
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Puts together whatever is asked for at one moment, or while the last was under way: many small statements become one.
 * Answers come in the order of what was asked.
 */
export function together<Asked, Answer>(
  most: number,
  carryOut: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
): (asked: Asked) => Promise<Answer> {
  let underWay = false
  let waiting: Waiting<Asked, Answer>[] = []

  const start = async (): Promise<void> => {
    const some = waiting.slice(0, most)
    waiting = waiting.slice(most)
    try {
      const answers = await carryOut(some.map(({ asked }) => asked))
      if (answers.length !== some.length) throw new Error('not everything that was asked was answered')
      for (const [index, { resolve }] of some.entries()) resolve(answers[index]!)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
    underWay = waiting.length > 0
    if (underWay) void start()
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.push({ asked, resolve, reject })
      if (!underWay) setImmediate(() => void start())
      underWay = true
    })
}
