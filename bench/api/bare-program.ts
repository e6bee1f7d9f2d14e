import { getProfile, listMembers, listMessages, sendMessage, type Input, type Operation } from '@portico/contract'
import { fastify } from 'fastify'
import { hashSecret } from '../../server/src/secrets/generated-secret.ts'
import { findRunning } from '../../server/src/db/embedded/find-running.ts'
import { openDatabase } from '../../server/src/db/open-database.ts'
import { newId } from '../../server/src/operations/ids.ts'
import type { Place } from './seed.ts'

/** The responses of the bare routes: real responses of the measured server, so that both send the same bytes. */
export interface Bare {
  readonly dataFolder: string
  readonly answers: {
    readonly me: object
    readonly message: object
    readonly history: object
    readonly members: object
  }
  readonly author: { readonly id: string; readonly name: string }
  readonly history: Place
  /** The key for requests to the measured server. */
  readonly key: string
}

type Sent = Input<typeof sendMessage> & { roomId: string }

/** The minimum with Fastify and PostgreSQL: no key, no quota, no rights, no event. */
async function serve({ dataFolder, answers, author, history, key }: Bare): Promise<number> {
  const connection = await findRunning(dataFolder)
  if (!connection) throw new Error('the database of the measured server is not there')
  const log = { debug: () => {}, info: () => {}, warn: console.warn, error: console.error }
  const { pool } = await openDatabase({ connection, log })
  const app = fastify()
  const answering = ({ output }: Operation) => ({ schema: { response: { [output.status]: output.schema } } })

  app.get('/me', answering(getProfile), async () => answers.me)
  const keyHash = hashSecret(key)
  app.get('/key', answering(getProfile), async () => {
    const { rowCount } = await pool.query({
      name: 'key',
      text: `SELECT b.id, b.name, b.avatar, b.avatar_version, p.id, p.name, k.scopes FROM application_keys k
        JOIN applications p ON p.id = k.application_id JOIN accounts b ON b.id = p.bot_id WHERE k.key_hash = $1`,
      values: [keyHash],
    })
    if (rowCount !== 1) throw new Error('the key is not there')
    return answers.me
  })
  app.get('/members', answering(listMembers), async () => answers.members)
  app.get('/history', answering(listMessages), async () => answers.history)
  app.post('/send', answering(sendMessage), async (_request, reply) => reply.code(201).send(answers.message))

  app.post<{ Body: Sent }>('/insert', answering(sendMessage), async ({ body }, reply) => {
    const message = { id: newId(), text: body.text, createdAt: new Date().toISOString(), author }
    await pool.query({
      name: 'insert',
      text: `INSERT INTO messages (id, channel_id, room_id, author_id, text, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      values: [message.id, body.channelId, body.roomId, author.id, message.text, message.createdAt],
    })
    return reply.code(201).send(message)
  })

  app.get('/select', answering(listMessages), async () => {
    const { rows } = await pool.query<{ id: string; text: string; createdAt: string; authorId: string }>({
      name: 'select',
      text: `SELECT id, text, created_at AS "createdAt", author_id AS "authorId" FROM messages
        WHERE room_id = $1 AND deleted_at IS NULL ORDER BY id DESC LIMIT 50`,
      values: [history.roomId],
    })
    const messages = rows.map(({ authorId, ...row }) => ({ ...row, author: { id: authorId, name: author.name } }))
    return { messages, hasMore: true }
  })

  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return Number(new URL(address).port)
}

process.once('message', (bare: Bare) => {
  void serve(bare).then(
    (port) => process.send?.(port),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

// The parent process is gone.
process.once('disconnect', () => process.exit())
