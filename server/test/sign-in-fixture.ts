import { handlers, transports } from '../src/app.ts'
import { buildServer } from '../src/http/build-server.ts'
import { Metrics } from '../src/telemetry/metrics.ts'
import type { Services } from '../src/operations/services.ts'
import { atFileEnd, oncePerFile } from './file-end.ts'
import type { Person } from './person.ts'
import type { TestServer } from './start-server.ts'
import { Website, type Portal } from './website.ts'
import { portal, channelFixture } from './channel-fixture.ts'

/** A second HTTP server with the same services but its own provider, which shares no memory with the first. */
const second = oncePerFile(async (services: Services): Promise<string> => {
  const app = await buildServer({ ...services, metrics: new Metrics() }, handlers, transports)
  atFileEnd(() => app.close())
  return app.listen({ host: '127.0.0.1', port: 0 })
})

/** A portal with one sign-in provider, or with two on the same database that get requests alternately. */
export async function signInPortal(providers: 1 | 2): Promise<Portal & { readonly server: TestServer }> {
  const { server } = await portal()
  const publicUrl = server.services.config.PUBLIC_URL
  if (providers === 1) return { server, publicUrl, addressOf: () => server.url }
  const urls = [server.url, await second(server.services)]
  let requests = 0
  return { server, publicUrl, addressOf: () => urls[(requests += 1) % urls.length] ?? server.url }
}

/** A website with sign-in, its owner, and a person who has never signed in to it. */
export async function signInFixture(providers: 1 | 2 = 1) {
  const at = await signInPortal(providers)
  const made = await channelFixture()
  const site = await Website.of(at, made.owner)
  const person: Person = await made.newPerson()
  return { ...made, at, site, person, oauth: `/applications/${site.applicationId}/oauth` }
}
