import type { Hub } from './hub.ts'
import type { SubscribeRequest } from './protocol.ts'
import type { Receiver, Recorded } from './receiver.ts'

/** How far another process may be ahead of this one. */
const LAG = 2000

/** Whether everything after the client's position can still be recovered. */
export async function canRecover(hub: Hub, receiver: Receiver, { epoch, offset }: SubscribeRequest): Promise<boolean> {
  if (epoch !== '' && epoch !== hub.epoch) return false
  if (!(await hub.reaches(offset, LAG))) return false
  return receiver.canRecover(offset, hub.top)
}

/** The client's side of a recovery. */
export interface CatchingUp {
  /** Whether the client still waits for this. */
  isWanted(): boolean
  /** Resolves when the client can take more. */
  send(event: Recorded): Promise<void>
  /** The client has received everything up to here. */
  passed(position: number): void
  /** Nothing is missing. Called synchronously at that moment: later events must be delivered live. */
  reached(position: number): Promise<void>
  /** Events were trimmed since recovery was promised. */
  tooLate(): void
}

/** Sends the missed events, page by page at the client's pace, until nothing is missing. */
export async function catchUp(hub: Hub, receiver: Receiver, from: number, client: CatchingUp): Promise<void> {
  let position = from
  while (client.isWanted()) {
    client.passed(position)
    const { top } = hub
    if (position >= top) return client.reached(position)
    const { recorded, upTo } = await receiver.readAfter(position, top)
    if (await receiver.wasTrimmedAfter(position)) return client.tooLate()
    for (const event of recorded) {
      if (!client.isWanted()) return
      position = event.seq
      const calm = client.send(event)
      client.passed(position)
      await calm
    }
    position = upTo
  }
}
