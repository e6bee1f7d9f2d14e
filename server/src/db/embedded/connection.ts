import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Postmaster } from './postmaster.ts'

export const databaseName = 'portico'
export const userName = 'portico'
export const passwordFile = 'portico.password'

/** A socket in a folder only we may enter needs no password; where there are no such sockets, loopback and one. */
export type Transport = 'socket' | 'loopback'

export interface Connection {
  host: string
  port: number
  user: string
  database: string
  password?: string
}

export async function connectionTo(cluster: string, { socketDir, port }: Postmaster): Promise<Connection> {
  const common = { port, user: userName, database: databaseName }
  if (socketDir !== '') return { ...common, host: socketDir }
  return { ...common, host: '127.0.0.1', password: await readFile(join(cluster, passwordFile), 'utf8') }
}
