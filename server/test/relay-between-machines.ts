import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { Machine } from './separate-machines.ts'

/** A TCP address, or the path of a Unix socket, which machines share because they share their files. */
export type Place = { readonly host: string; readonly port: number } | { readonly path: string }

const RELAY = `
  const net = require('node:net')
  const [from, to] = process.argv.slice(1).map((place) => JSON.parse(place))
  const server = net.createServer((client) => {
    const other = net.connect(to)
    client.on('error', () => other.destroy()).on('close', () => other.destroy())
    other.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.pipe(other).pipe(client)
  })
  server.listen(from, () => console.log(server.address().port ?? 0))`

/** A program on a machine, by default this one, that forwards connections. Returns its port. Ends after the test. */
export async function relay(from: Place, to: Place, machine?: Machine): Promise<number> {
  const [command, ...rest] = [...(machine?.through ?? []), process.execPath, '-e', RELAY]
  const program = spawn(command, [...rest, JSON.stringify(from), JSON.stringify(to)])
  onTestFinished(() => void program.kill('SIGKILL'))
  const [port] = await once(program.stdout, 'data')
  return Number(port)
}
