import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify'
import type { Pool } from 'pg'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a route carries out; names it in metrics and logs. */
    operation?: string
  }
}

const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

type Readings = readonly (readonly [labels: Record<string, string>, value: number])[]

/** What `/metrics` tells, in Prometheus' words. Each part registers what it knows. */
export class Metrics {
  readonly registry = new Registry()
  readonly contentType = this.registry.contentType

  /** Seconds from the commit of an event to the first attempt at its webhook delivery, and to the sockets. */
  readonly webhookLag = this.#lag('portico_webhook_lag_seconds', 'From an event to the first attempt to deliver it')
  readonly socketLag = this.#lag('portico_event_lag_seconds', 'From an event to the open sockets')

  constructor() {
    // Memory, processor time, garbage collection and the delay of the event loop.
    collectDefaultMetrics({ register: this.registry })
  }

  text(): Promise<string> {
    return this.registry.metrics()
  }

  observePool(pool: Pool): void {
    this.gauge('portico_database_connections', 'Connections to the database', ['state'], () => [
      [{ state: 'busy' }, pool.totalCount - pool.idleCount],
      [{ state: 'idle' }, pool.idleCount],
    ])
    this.gauge('portico_database_waiting', 'Requests waiting for a connection', [], () => [[{}, pool.waitingCount]])
  }

  observeRequests(app: FastifyInstance): void {
    const seconds = new Histogram({
      name: 'portico_http_request_seconds',
      help: 'Time from the request to its answer',
      labelNames: ['method', 'operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [this.registry],
    })
    // Looking for secrets costs more than a small answer, and there are none in what is written here.
    const log = app.log.child({}, { redact: [] })
    const observe = (operation: string, { id: reqId, method }: FastifyRequest, reply: FastifyReply): void => {
      const { statusCode: status, elapsedTime: ms } = reply
      seconds.observe({ method, operation, status }, ms / 1000)
      // Supervisors, load balancers and Prometheus ask every few seconds.
      const level = PROBES.has(operation) && status < 400 ? 'debug' : 'info'
      log[level]({ reqId, method, operation, status, ms: Math.round(ms * 10) / 10 }, 'request')
    }
    // Each route knows what it is called: asking a request for its route costs as much as observing it.
    app.addHook('onRoute', (route) => {
      const operation = route.config?.operation ?? route.url
      const hook: onResponseHookHandler = (request, reply, done) => {
        observe(operation, request, reply)
        done()
      }
      route.onResponse = [route.onResponse ?? [], hook].flat()
    })
    app.addHook('onResponse', (request, reply, done) => {
      if (request.is404) observe('none', request, reply)
      done()
    })
  }

  #lag(name: string, help: string): Histogram {
    const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
    return new Histogram({ name, help, buckets, registers: [this.registry] })
  }

  /** A total that is counted elsewhere and read on request. */
  counter(name: string, help: string, labels: string[], read: () => Readings | Promise<Readings>): void {
    const counter = new Counter({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      collect: async () => {
        const readings = await read()
        counter.reset()
        for (const [labeled, value] of readings) counter.inc(labeled, value)
      },
    })
  }

  /** A gauge that is read on request. */
  gauge(name: string, help: string, labels: string[], read: () => Readings | Promise<Readings>): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      collect: async () => {
        const readings = await read()
        gauge.reset()
        for (const [labeled, value] of readings) gauge.set(labeled, value)
      },
    })
  }
}
