import { NotFoundError, UnprocessableError } from '../client/errors.ts'
import type { CommandContext } from './command-context.ts'

/** Tells the author of a command, and nobody else, what is wrong with its options. */
export async function answerErrors(context: CommandContext, usage: string): Promise<void> {
  const list = context.errors.map(({ message }) => `- ${message}`)
  const text = [...list, `\`${context.command} ${usage}\``].join('\n')
  try {
    await context.notice(text)
  } catch (error) {
    // An earlier portal has no notices.
    if (error instanceof NotFoundError) await context.reply(text)
    // A bot, or someone who has left.
    else if (!(error instanceof UnprocessableError)) throw error
  }
}
