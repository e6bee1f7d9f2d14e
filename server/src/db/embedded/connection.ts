import type { Postmaster } from './postmaster.ts'

export const databaseName = 'portico'
export const userName = 'portico'

/** A Unix socket in a folder that only the database's user may enter; loopback TCP on systems without Unix sockets. */
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
