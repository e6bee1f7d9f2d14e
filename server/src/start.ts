import type { FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'
import { handlers, transports } from './app.ts'
import { SessionUses } from './accounts/session-uses.ts'
import { Attempts } from './accounts/sign-in-throttle.ts'
import { ApplicationNotifier } from './applications/application-notifier.ts'
import type { Running, StartOptions } from './command-line/program.ts'
import type { Config } from './config/config.ts'
import { isLoopback } from './config/is-loopback.ts'
import type { Database } from './db/open-database.ts'
import { StartError } from './db/start-error.ts'
import { Bus } from './events/bus.ts'
import { CLUSTER } from './events/serving-lease.ts'
import { EventFanOut } from './events/event-fan-out.ts'
import { EventLog, eventEpoch } from './events/event-log.ts'
import { PositionTokens } from './events/position-tokens.ts'
import { groupCommit } from './events/group-commit.ts'
import { Files } from './files/files.ts'
import { observeReplica } from './db/observe-replica.ts'
import { observeStorage } from './db/observe-storage.ts'
import { Replica } from './db/replica.ts'
import { observeFiles } from './files/observe-files.ts'
import { openFileStore } from './files/open-file-store.ts'
import { isOtherStorage } from './files/stored-files.ts'
import { buildServer } from './http/build-server.ts'
import { HttpsListener } from './http/https-listener.ts'
import { reservePort } from './http/reserve-port.ts'
import { startMaintenance } from './maintenance.ts'
import { observeRedis } from './redis/observe-redis.ts'
import { MessageMac } from './redis/message-mac.ts'
import { Redis } from './redis/redis.ts'
import { giveBackMemory } from './telemetry/give-back-memory.ts'
import type { Log } from './telemetry/log.ts'
import { Metrics } from './telemetry/metrics.ts'
import { accessVersion } from './db/access-version.ts'
import { openStorage } from './db/open-storage.ts'
import type { Services } from './operations/services.ts'
import { MemoryPresence } from './presence/memory-presence.ts'
import { RedisPresence } from './presence/redis-presence.ts'
import { programVersion } from './config/program-version.ts'
import { startRemovingChannels } from './channels/remove-channels.ts'
import { startInterruptingStreams } from './messages/interrupt-streams.ts'
import { MessageStreams } from './messages/message-streams.ts'
import { startRemovingMessages } from './messages/remove-messages.ts'
import { AppendQuotas } from './quotas/append-quotas.ts'
import { SuggestionQuotas } from './quotas/suggestion-quotas.ts'
import { RedisQuotas } from './quotas/redis-quotas.ts'
import { WindowQuotas } from './quotas/window-quotas.ts'
import { databaseWindows } from './quotas/window-store.ts'
import { observeUploads } from './uploads/observe-uploads.ts'
import { websiteSignIns } from './sign-in/website-sign-ins.ts'
import { createWebhooks } from './webhooks/create-webhooks.ts'
import { observeWebhooks } from './webhooks/observe-webhooks.ts'
import { WebhookWorker } from './webhooks/webhook-worker.ts'
import { observePushes } from './push/observe-pushes.ts'
import { openPushKeys } from './push/push-keys.ts'
import { PushWorker } from './push/push-worker.ts'
import { openSecret } from './secrets/secret.ts'
import { verifySecret } from './secrets/secret-verifier.ts'
import { EmbeddedMedia } from './media/embedded-media.ts'
import { observeMedia } from './media/observe-media.ts'
import { livekitConfig, type LivekitConfig } from './voice/livekit-config.ts'
import type { LivekitServer } from './voice/media.ts'
import { silentMedia } from './voice/silent-media.ts'
import { watchVoiceSessions } from './voice/watch-voice-sessions.ts'
import { COMMAND } from './config/command.ts'

export async function start(options: StartOptions): Promise<Running> {
  const { log, onDisplaced } = options
  const ending = new AsyncDisposableStack()
  try {
    const id = randomUUID()
    const { config, release } = await reservePort(options.config).catch((error: unknown) => {
      throw listenError(error, options.config)
    })
    ending.defer(release)
    const isNode = config.REDIS_URL !== null
    const database = await openStorage({ ...options, config, serverId: isNode ? CLUSTER : id })
    ending.defer(() => database.close())
    const replica = await openReplica(config, database, log)
    ending.defer(() => replica?.close())
    const secret = await openSecret(config)
    await verifySecret(database, secret)
    const epoch = await eventEpoch(database.pool)
    const redis = await openRedis(config, epoch, log)
    ending.defer(() => redis?.close())
    const relay = redis && { redis, mac: new MessageMac(secret, epoch) }
    const files = await openFiles(config, database, log)
    ending.defer(() => files.close())
    const bus = new Bus(database, { log, id, relay, isExclusive: config.DATABASE_URL === null, onDisplaced })
    if (isNode) database.accessCache.enableByVersion(accessVersion(database.pool))
    else database.accessCache.enableWhile(() => bus.lease.isHeld)
    bus.subscribe('access', () => database.accessCache.invalidate())
    const { pool } = database
    const quotas = redis
      ? new RedisQuotas({ pool, redis, id, log })
      : new WindowQuotas({ store: databaseWindows(pool, id), lease: bus.lease, log })
    const version = programVersion()
    const livekit = livekitConfig(config)
    const embeddedMedia =
      livekit || isNode || config.MEDIA === 'off' ? undefined : new EmbeddedMedia({ config, secret, log, version })
    const https = (config.HTTPS_PORT ?? 'off') === 'off' ? undefined : new HttpsListener({ config, log })
    const eventLog = new EventLog({
      pool,
      log,
      fanOut: relay && new EventFanOut({ ...relay, tokens: new PositionTokens(secret, epoch) }, log),
    })
    const services: Services = {
      config,
      log,
      database,
      ...(replica && { replica }),
      commit: groupCommit(database),
      bus,
      ...(redis && { redis }),
      eventLog,
      files,
      presence: redis ? new RedisPresence({ pool, eventLog, redis, log }) : new MemoryPresence({ pool, eventLog, log }),
      applicationNotifier: new ApplicationNotifier(bus, log),
      sessionUses: new SessionUses(pool, log),
      attempts: new Attempts(),
      quotas,
      appendQuotas: new AppendQuotas(),
      suggestionQuotas: new SuggestionQuotas(),
      messageStreams: new MessageStreams({ database, bus, log }),
      webhooks: createWebhooks(database.pool),
      pushKeys: await openPushKeys({ database, secret, log }),
      websiteSignIns,
      metrics: new Metrics(),
      secret,
      media: livekit ? await openLivekit(livekit) : (embeddedMedia ?? silentMedia(config, secret)),
      ...(embeddedMedia && { embeddedMedia }),
      ...(https && { https }),
      version,
      linkBase: () => (https && isLoopback(new URL(config.PUBLIC_URL).hostname) ? https.url : config.PUBLIC_URL),
    }
    services.metrics.observePool(database.pool)
    observeWebhooks(services)
    const pushCounts = observePushes(services)
    observeRedis(services)
    observeReplica(services)
    observeFiles(services)
    observeUploads(services)
    observeStorage(services)
    await bus.start()
    ending.defer(() => bus.stop())
    await quotas.start()
    ending.defer(() =>
      quotas.stop().catch((error: unknown) => {
        // As after a crash, what was not saved is counted as used.
        log.warn({ err: error }, 'saving quotas failed')
      }),
    )
    ending.defer(() => services.applicationNotifier.stop())
    ending.defer(() => services.sessionUses.stop())
    await services.presence.start()
    ending.defer(() => services.presence.stop())
    await services.eventLog.start()
    ending.defer(() => services.eventLog.stop())
    // After the lease is held: the process before has closed its port.
    await embeddedMedia?.start()
    ending.defer(() => embeddedMedia?.stop())
    observeMedia(services)
    ending.defer(startRemovingChannels(services))
    ending.defer(startRemovingMessages(services))
    ending.defer(() => services.messageStreams.stop())
    ending.defer(startInterruptingStreams(services))
    ending.defer(watchVoiceSessions(services))
    const webhooks = new WebhookWorker(services)
    ending.defer(() => webhooks.stop())
    const pushes = new PushWorker(services, pushCounts)
    ending.defer(() => pushes.stop())
    const app = await buildServer(services, handlers, transports)
    ending.defer(() => app.close())
    await release()
    await listen(app, config)
    await https?.listen()
    ending.defer(startMaintenance(services))
    ending.defer(giveBackMemory())
    return { services, handlers, app, close: () => ending.disposeAsync() }
  } catch (error) {
    await ending.disposeAsync()
    throw error
  }
}

async function openReplica(config: Config, { pool }: Database, log: Log): Promise<Replica | undefined> {
  const { DATABASE_REPLICA_URL: url, DATABASE_POOL_SIZE: poolSize } = config
  return url === null ? undefined : Replica.open({ url, poolSize, log, primary: pool })
}

/** The Redis of a cluster. The epoch of the event log keeps portals that share one Redis separate. */
async function openRedis({ REDIS_URL }: Config, epoch: string, log: Log): Promise<Redis | undefined> {
  return REDIS_URL === null ? undefined : Redis.open(REDIS_URL, { portal: epoch, log })
}

/** Loaded where a LiveKit server is configured. */
async function openLivekit(config: LivekitConfig): Promise<LivekitServer> {
  const { livekitMedia } = await import('./voice/livekit-media.ts')
  return livekitMedia(config)
}

/** A node without the files of the others would store new ones where nobody finds them. */
async function openFiles(config: Config, database: Database, log: Log): Promise<Files> {
  const files = await Files.open(await openFileStore(config), log)
  if (!(await isOtherStorage(database.kysely, files))) return files
  if (config.REDIS_URL === null) {
    log.error({ place: files.place }, `stored files are missing; ${COMMAND} restore brings them back from a backup`)
    return files
  }
  files.close()
  throw new StartError(
    `The files of this portal aren’t in ${files.place}.`,
    'Mount the same FILES_FOLDER on all nodes, or give all of them the same S3_BUCKET; see docs/scaling.md.',
  )
}

async function listen(app: FastifyInstance, config: Config): Promise<void> {
  try {
    await app.listen({ host: config.HOST, port: config.PORT })
  } catch (error) {
    throw listenError(error, config)
  }
}

function listenError(error: unknown, { HOST, PORT }: Config): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    return new StartError(`Port ${PORT} is taken by another program.`, `Stop it, or choose another: PORT=${PORT + 1}`)
  }
  if (code === 'EACCES') {
    return new StartError(
      `This user isn’t allowed to open port ${PORT}.`,
      'Choose one above 1023, behind a reverse proxy.',
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`HOST=${HOST} isn’t an address of this machine.`, 'Set HOST=0.0.0.0 for all addresses.')
  }
  return error
}
