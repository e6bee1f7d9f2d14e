import type { Answer, Client } from '../actors/client.ts'
import type { OperationArgs, OperationName } from '../history/operations.ts'

/** For the founding, in which nothing may go wrong. */
export async function must<Name extends OperationName>(
  client: Client,
  name: Name,
  args: OperationArgs<Name>,
): Promise<Answer> {
  const answer = await client.call(name, args)
  if (answer && answer.status < 300) return answer
  throw new Error(`${client.actor.name} could not ${name}: ${JSON.stringify(answer)}`)
}
