import type { BotEvent } from '../events/event.ts'
import { readBody } from './read-body.ts'
import { SeenDeliveries } from './seen-deliveries.ts'
import { importSecret, verifySignature } from './verify-signature.ts'

/** How to verify deliveries. */
export interface WebhookOptions {
  /** The signing secret, which `setWebhook` returns: `whsec_…`. It may come from the environment; without it, this throws. */
  readonly secret: string | undefined
  /** How old a delivery may be, in seconds, so that nobody can send a recorded one again. By default five minutes. */
  readonly toleranceSec?: number | undefined
}

/** Answers a delivery of the webhook. */
export type WebhookHandler = (request: Request) => Promise<Response>

const TOLERANCE = 300

/**
 * A handler that verifies deliveries, answers them immediately and passes on each event once. It answers before the event is
 * handled, as the portal asks for: an event that is being handled when the process crashes isn't sent again.
 */
export function webhookHandler(
  { secret, toleranceSec = TOLERANCE }: WebhookOptions,
  onEvent: (event: BotEvent) => void,
): WebhookHandler {
  const key = importSecret(secret)
  const seen = new SeenDeliveries()
  return async (request) => {
    if (request.method !== 'POST') return answer(405, 'Deliveries are sent with POST.')
    const { headers } = request
    const id = headers.get('webhook-id') ?? ''
    const timestamp = headers.get('webhook-timestamp') ?? ''
    const signatures = headers.get('webhook-signature') ?? ''
    const body = request.body ? await readBody(request.body) : new Uint8Array()
    if (!body) return answer(413, 'This is too long for a delivery.')
    if (!(await verifySignature(await key, { id, timestamp, signatures, body })))
      return answer(401, 'The signature isn’t valid: check the secret, and that nothing changes the body on the way.')
    if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSec))
      return answer(401, 'The timestamp is too far from now: check the clock.')
    const event = JSON.parse(new TextDecoder().decode(body)) as Omit<BotEvent, 'id'> | { event: 'ping' }
    // In a later turn, so that the answer is on its way first.
    if (event.event !== 'ping' && seen.add(id)) setTimeout(() => onEvent({ ...event, id } as BotEvent), 0)
    return new Response(null, { status: 204 })
  }
}

function answer(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
