import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { SdkArchive } from '../../config/sdk-archive.ts'
import { Refusal } from '../../operations/refusal.ts'
import type { Services } from '../../operations/services.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'

/**
 * The SDK, for `npm install`. Lockfiles contain the address of a package and its checksum, so an address always stands for the same
 * bytes. What was requested once is kept, and still served after an upgrade.
 */
export function sdkRoutes(
  app: FastifyInstance,
  { config, database }: Pick<Services, 'config' | 'database'>,
  current: SdkArchive | undefined,
): void {
  let kept: Promise<Buffer> | undefined

  app.get('/docs/portico-sdk.tgz', (_request, reply) => {
    if (!current) throw new Refusal('notFound')
    return reply.header('cache-control', 'no-cache').redirect(`/docs/${current.name}`)
  })

  app.get<{ Params: { '*': string } }>('/docs/portico-sdk-*', async (request, reply) => {
    const name = `portico-sdk-${request.params['*']}`
    const content = name === current?.name ? await readCurrent(current.path) : await find(name)
    if (!content) return reply.code(404).send(notHere(name))
    const etag = `"${name}"`
    void reply.headers({ etag, 'cache-control': IMMUTABLE })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('application/gzip').send(content)
  })

  async function readCurrent(path: string): Promise<Buffer> {
    kept ??= readFile(path).then(keep)
    try {
      return await kept
    } catch (error) {
      kept = undefined
      throw error
    }
  }

  async function keep(content: Buffer): Promise<Buffer> {
    const row = { name: current?.name ?? '', content }
    await database.kysely
      .insertInto('sdk_packages')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return content
  }

  async function find(name: string): Promise<Buffer | undefined> {
    const packages = database.kysely.selectFrom('sdk_packages').select('content')
    return (await packages.where('name', '=', name).executeTakeFirst())?.content
  }

  /** npm shows only the field `error`. */
  function notHere(name: string): object {
    const has = current ? ` It has ${config.PUBLIC_URL}/docs/${current.name}` : ''
    const message = `This portal never served ${name}.${has}`
    return { error: message, status: 'error', message }
  }
}
