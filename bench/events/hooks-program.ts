import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface Hooks {
  readonly key: string
  readonly cert: string
}

let received = 0
let lastAt = 0

/** A webhook receiver that responds immediately. Each later message asks how many have arrived, and when the last did. */
process.on('message', (message: Hooks | { count: true }) => {
  if ('count' in message) {
    process.send?.({ received, lastAt })
    return
  }
  const server = createServer(message, (request, response) => {
    request.resume().once('end', () => {
      received += 1
      lastAt = Date.now()
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})

// The parent process is gone.
process.once('disconnect', () => process.exit())
