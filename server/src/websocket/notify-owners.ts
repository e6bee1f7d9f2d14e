import { APPLICATION_SUBJECTS, applicationChanged, channelChanged, type ApplicationSubject } from '@portico/contract'
import type { ApplicationChanges } from '../applications/application-notifier.ts'
import { Throttle } from '../events/throttle.ts'
import { ephemeralBody } from '../events/ephemeral.ts'
import type { Services } from '../operations/services.ts'
import type { Hub } from './hub.ts'

/** In milliseconds. Every event of a channel may add to the backlog of its bots. */
const BACKLOG_PAUSE = 500
/** In milliseconds. */
const CHANGE_PAUSE = 300

/** Applications whose backlog grew by an event: the stream is not live, or the webhook is off. */
const WAITING = {
  name: 'applications_behind',
  text: `
    SELECT p.id, s.delivered_seq IS NOT NULL AS stream, w.application_id IS NOT NULL AS webhook
    FROM installations i
    JOIN applications p ON p.bot_id = i.bot_id
    LEFT JOIN stream_owners s ON s.application_id = p.id AND (s.disconnected_at IS NOT NULL OR s.phase <> 'live')
    LEFT JOIN webhooks w ON w.application_id = p.id AND NOT w.active
    WHERE i.channel_id = ANY ($1::uuid[]) AND i.to_seq IS NULL
      AND (s.delivered_seq IS NOT NULL OR w.application_id IS NOT NULL)`,
}

/** Applications that are or were installed in a channel: their owners see its name and their role. */
const INSTALLED = {
  name: 'applications_on_channels',
  text: `
    SELECT DISTINCT p.id FROM installations i JOIN applications p ON p.bot_id = i.bot_id
    WHERE i.channel_id = ANY ($1::uuid[])`,
}

interface Owned {
  readonly id: string
  readonly ownerId: string
}

/**
 * Notifies open portals in this process of changes of their people's applications, and those of all processes of what this
 * process has committed: only its own channels are followed by each.
 */
export function notifyOwners(
  { bus, eventLog, applicationNotifier, redis, database: { pool }, log }: Services,
  hub: Hub,
): { stop(): Promise<void> } {
  const failed = (error: unknown): void => log.error({ err: error }, 'notifying application owners failed')
  const channelIds = new Set<string>()
  const backlogs = new Throttle(BACKLOG_PAUSE, notifyBacklogs, failed)
  const changedIds = new Set<string>()
  const changes = new Throttle(CHANGE_PAUSE, notifyChanges, failed)

  // An empty message: notifications may have been lost, so everything may have changed.
  bus.subscribe('applications', (word) => {
    const notifying = word === '' ? notifyAll() : pass(JSON.parse(word) as ApplicationChanges)
    notifying.catch(failed)
  })
  eventLog.listenToOwn((events) => {
    for (const { audience, channelId, event } of events) {
      if (audience !== 'portal') channelIds.add(channelId)
      else if (event === channelChanged.event) changedIds.add(channelId)
    }
    if (channelIds.size > 0) backlogs.trigger()
    if (changedIds.size > 0) changes.trigger()
  })

  async function pass(news: ApplicationChanges): Promise<void> {
    if (!hub.hasPeople) return
    const subjects = new Map(news)
    const { rows } = await pool.query<Owned>({
      name: 'owners_of_applications',
      text: 'SELECT id, owner_id AS "ownerId" FROM applications WHERE id = ANY ($1::uuid[])',
      values: [[...subjects.keys()]],
    })
    for (const owned of rows) await notify(owned, subjects.get(owned.id) ?? [])
  }

  async function notifyAll(): Promise<void> {
    const { rows } = await pool.query<Owned>({
      name: 'applications_of_people',
      text: 'SELECT id, owner_id AS "ownerId" FROM applications WHERE owner_id = ANY ($1::uuid[])',
      values: [[...hub.peopleHere()]],
    })
    for (const owned of rows) await notify(owned, APPLICATION_SUBJECTS)
  }

  async function notifyBacklogs(): Promise<void> {
    const values = [[...channelIds]]
    channelIds.clear()
    if (!hasListeners()) return
    const { rows } = await pool.query<{ id: string; stream: boolean; webhook: boolean }>({ ...WAITING, values })
    for (const row of rows) {
      for (const subject of ['webhook', 'stream'] as const)
        if (row[subject]) applicationNotifier.notify(row.id, subject)
    }
  }

  async function notifyChanges(): Promise<void> {
    const values = [[...changedIds]]
    changedIds.clear()
    if (!hasListeners()) return
    const { rows } = await pool.query<{ id: string }>({ ...INSTALLED, values })
    for (const { id } of rows) applicationNotifier.notify(id, 'application')
  }

  /** Owners may have a portal open on any node. */
  function hasListeners(): boolean {
    return redis !== undefined || hub.hasPeople
  }

  async function notify({ id, ownerId }: Owned, subjects: readonly ApplicationSubject[]): Promise<void> {
    const body = ephemeralBody(applicationChanged, null, { applicationId: id, subjects })
    await hub.pass({ to: { accountId: ownerId }, body })
  }

  return {
    stop: async () => {
      await Promise.all([backlogs.stop(), changes.stop()])
    },
  }
}
