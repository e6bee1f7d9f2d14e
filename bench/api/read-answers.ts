import type { Socket } from 'node:net'

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const NO_CONTENT = 204

/** A minimal HTTP/1.1 client for responses with Content-Length: the load program must be cheaper than the server. */
export function readAnswers(socket: Socket, answered: (status: number, text: () => string) => void): void {
  let parts: Buffer[] = []
  let received = 0
  let length = 0
  let status = 0
  socket.on('data', (chunk: Buffer) => {
    parts.push(chunk)
    received += chunk.length
    if (length === 0) {
      const whole = parts.length === 1 ? chunk : Buffer.concat(parts)
      const end = whole.indexOf(END_OF_HEAD)
      if (end < 0) return
      const head = whole.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      const bytes = status === NO_CONTENT ? '0' : /\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (bytes === undefined) {
        socket.destroy(new Error(`an answer without a length:\n${head}`))
        return
      }
      length = end + END_OF_HEAD.length + Number(bytes)
    }
    if (received < length) return
    const answer = parts
    parts = []
    received = length = 0
    answered(status, () => Buffer.concat(answer).toString())
  })
}
