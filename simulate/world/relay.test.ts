import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Relay } from './relay.ts'

const ALWAYS = (): boolean => true
/** In milliseconds: longer than bytes need on one machine. */
const LONGER = 100

/** A relay to a server that sends back everything that it gets. */
async function startRelay(): Promise<Relay> {
  const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const relay = await Relay.start({ kind: 'clients', name: 'clients', target: (server.address() as AddressInfo).port })
  onTestFinished(async () => {
    await relay.close()
    server.close()
  })
  return relay
}

class Visitor {
  readonly socket: Socket
  received = ''
  error: string | undefined

  constructor({ port }: Relay) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('data', (bytes) => (this.received += String(bytes)))
    this.socket.on('error', (error: NodeJS.ErrnoException) => (this.error = error.code))
    onTestFinished(() => void this.socket.destroy())
  }

  send(text: string): void {
    this.socket.write(text)
  }

  async expectToBeClosed(): Promise<void> {
    await expect.poll(() => this.socket.closed).toBe(true)
  }

  async expectToReceive(text: string): Promise<void> {
    await expect.poll(() => this.received).toBe(text)
  }
}

describe('Relay', () => {
  test('passes bytes on in both directions, and the end of a stream', async () => {
    const visitor = new Visitor(await startRelay())
    visitor.send('one ')
    visitor.socket.end('two')
    await visitor.expectToBeClosed()
    expect(visitor.received).toBe('one two')
    expect(visitor.error).toBeUndefined()
  })

  test('holds bytes back without closing connections, and passes them on in order afterwards', async () => {
    const relay = await startRelay()
    const visitor = new Visitor(relay)
    visitor.send('before ')
    await visitor.expectToReceive('before ')
    relay.hold(ALWAYS)
    visitor.send('during ')
    visitor.send('it ')
    const newcomer = new Visitor(relay)
    newcomer.send('new')
    await sleep(LONGER)
    expect([visitor.received, newcomer.received]).toEqual(['before ', ''])
    relay.restore()
    visitor.send('after')
    await visitor.expectToReceive('before during it after')
    await newcomer.expectToReceive('new')
  })

  test('does not tell one end that the other is gone while it holds bytes back', async () => {
    const relay = await startRelay()
    const visitor = new Visitor(relay)
    visitor.send('x')
    await visitor.expectToReceive('x')
    relay.hold(ALWAYS)
    visitor.socket.end('last words')
    await sleep(LONGER)
    expect(visitor.socket.closed).toBe(false)
    relay.restore()
    await visitor.expectToBeClosed()
    expect(visitor.received).toBe('xlast words')
  })

  test('holds back more than fits into the memory of the network', async () => {
    const relay = await startRelay()
    const visitor = new Visitor(relay)
    relay.hold(ALWAYS)
    const large = 'x'.repeat(5 * 1024 ** 2)
    visitor.send(large)
    await sleep(LONGER)
    relay.restore()
    await expect.poll(() => visitor.received.length).toBe(large.length)
  })

  test('delays what is sent in each direction', async () => {
    const relay = await startRelay()
    const visitor = new Visitor(relay)
    relay.delay(LONGER, ALWAYS)
    visitor.send('a')
    const start = performance.now()
    await visitor.expectToReceive('a')
    expect(performance.now() - start).toBeGreaterThan(2 * LONGER - 5)
    relay.restore()
    visitor.send('b')
    await visitor.expectToReceive('ab')
  })

  test('cuts the connections that are chosen, and no others', async () => {
    const relay = await startRelay()
    const [first, second] = [new Visitor(relay), new Visitor(relay)]
    for (const visitor of [first, second]) {
      visitor.send('x')
      await visitor.expectToReceive('x')
    }
    let isFirst = true
    relay.cut(() => {
      const isChosen = isFirst
      isFirst = false
      return isChosen
    })
    await first.expectToBeClosed()
    expect(first.error).toBe('ECONNRESET')
    second.send('y')
    await second.expectToReceive('xy')
  })

  test('refuses new connections, and keeps those that are open', async () => {
    const relay = await startRelay()
    const early = new Visitor(relay)
    early.send('x')
    await early.expectToReceive('x')
    relay.refuse()
    const late = new Visitor(relay)
    await late.expectToBeClosed()
    expect(late.error).toBe('ECONNRESET')
    early.send('y')
    await early.expectToReceive('xy')
    relay.restore()
    const later = new Visitor(relay)
    later.send('z')
    await later.expectToReceive('z')
  })
})
