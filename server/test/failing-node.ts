import type { OwnChannel } from '@portico/contract'
import { testDatabase } from './database.ts'
import { expectOk } from './expect-ok.ts'
import { atFileEnd } from './file-end.ts'
import { filesFolder } from './files-folder.ts'
import { Person } from './person.ts'
import { startPortico } from './portico-process.ts'
import { RedisServer } from './redis.ts'
import { certificate } from './webhook-receiver.ts'

/** Starts a node of a cluster as a process of its own, which a test can kill, with an owner and their channel. */
export async function startFailingNode() {
  const redis = await RedisServer.start()
  atFileEnd(() => redis.kill())
  const settings = {
    DATABASE_URL: (await testDatabase()).url,
    REDIS_URL: redis.url,
    FILES_FOLDER: await filesFolder(),
    PORTICO_SECRET: 'the secret of all nodes of a cluster',
    WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
  }
  const failing = await startPortico({ ...settings, NODE_EXTRA_CA_CERTS: (await certificate()).path })
  /** The node that everyone uses; a test changes its address when the node fails. */
  const server = { url: failing.url }
  const owner = await new Person(server).setUp(/set-up\?code=(\w+)/.exec(failing.output())?.[1] ?? '')
  const { id: channelId } = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Ateliers', open: true }))
  return { settings, failing, server, owner, channelId }
}
