import { oncePerFile } from './file-end.ts'
import type { Person } from './person.ts'
import { startServer, type TestServer } from './start-server.ts'
import { Website, type Portal } from './website.ts'
import { portal, world } from './world.ts'

const PORTICO_SECRET = 'the same on all machines of a portal'

const second = oncePerFile((DATABASE_URL: string) => startServer({ PORTICO_SECRET, DATABASE_URL }))

/** A portal of one process, or of two that share a database and are spoken to in turn. */
export async function signInPortal(processes: 1 | 2): Promise<Portal & { readonly server: TestServer }> {
  const { server } = await portal({ PORTICO_SECRET })
  const publicUrl = server.parts.config.PUBLIC_URL
  if (processes === 1) return { server, publicUrl, addressOf: () => server.url }
  const urls = [server.url, (await second(server.parts.config.DATABASE_URL ?? '')).url]
  let asked = 0
  return { server, publicUrl, addressOf: () => urls[(asked += 1) % urls.length] ?? server.url }
}

/** A website with sign-in, its owner, and a person who has not been there. */
export async function signInStage(processes: 1 | 2 = 1) {
  const at = await signInPortal(processes)
  const made = await world()
  const site = await Website.of(at, made.owner)
  const person: Person = await made.newcomer()
  return { ...made, at, site, person, oauth: `/applications/${site.applicationId}/oauth` }
}
