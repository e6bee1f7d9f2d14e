import type { Bare } from './bare-program.ts'
import type { Seeded } from './seed.ts'

/** One response of each measured kind, as returned by the measured server. */
export async function answersOf(port: number, { key, large, thousand }: Seeded): Promise<Bare['answers']> {
  const ask = async (path: string, body?: object): Promise<object> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      headers: { authorization: `Bot ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as object
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
  const { channelId, roomId } = large.hundredThousand
  return {
    me: await ask('/me'),
    message: await ask(`/rooms/${thousand.roomId}/messages`, { channelId: thousand.channelId, text: 'Crate 4711' }),
    history: await ask(`/rooms/${roomId}/messages?channelId=${channelId}`),
    members: await ask(`/channels/${large.id}/members`),
  }
}
