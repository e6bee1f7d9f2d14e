import type { Postmaster } from './postmaster.ts'

export const databaseName = 'portico'
export const userName = 'portico'

/** A socket in a folder that only the database's user may enter; where there are no such sockets, loopback. */
export type Transport = 'socket' | 'loopback'

export interface Connection {
  host: string
  port: number
  user: string
  database: string
  password: string
}

export function connectionTo({ socketDir, port }: Postmaster, password: string): Connection {
  const host = socketDir === '' ? '127.0.0.1' : socketDir
  return { host, port, user: userName, database: databaseName, password }
}
