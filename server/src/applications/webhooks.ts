import type { Compilable, Tx } from '../operations/transaction.ts'

declare module '../operations/services.ts' {
  interface Services {
    readonly webhooks: Webhooks
  }
}

export interface WebhookStatus {
  readonly active: number
  readonly off: number
  /** The longest run of failed attempts of a webhook. */
  readonly streak: number
  readonly pending: number
  /** In seconds: how long the oldest due delivery has been waiting. */
  readonly overdue: number
}

/** An event of the log with a new body. */
export interface RedactedEvent {
  readonly seq: number
  readonly body: string
}

/** What features need of webhooks. `webhooks/` implements it, `start.ts` connects the two. */
export interface Webhooks {
  status(): Promise<WebhookStatus>
  /** Called when the scopes of an application's key have changed: without `events` its webhook pauses. */
  followScope(tx: Tx, applicationId: string, scopes: readonly string[]): Promise<void>
  /** Replaces the bodies of a channel's events in the deliveries of its applications. */
  redactDeliveries(channelId: string, events: readonly RedactedEvent[]): Compilable
}
