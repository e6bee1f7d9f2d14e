import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Operation } from '@portico/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ContentError } from '../files/file-store.ts'
import { storeFile } from '../files/stored-files.ts'
import { memberOf } from '../operations/actor.ts'
import { authorize, type Caller } from '../operations/authorize.ts'
import { perform, type AnyHandler, type HandlerOutcome, type ReceivedFile } from '../operations/perform.ts'
import { wrongField, type Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { CallOptions } from '../operations/transaction.ts'
import { fileName } from '../uploads/file-name.ts'
import { makePreview } from '../uploads/make-preview.ts'
import { SNIFFED_BYTES, sniffType } from '../uploads/sniff-type.ts'
import {
  maxBytes,
  MEBIBYTE,
  ownerOf,
  releaseUpload,
  reserveUpload,
  storedBytes,
  type Reservation,
} from '../uploads/upload.ts'
import type { UploadSlots } from './upload-slots.ts'

/** In bytes per second: an upload that is slower, over any interval of the second number in milliseconds, is ended. */
const SLOWEST = 8 * 1024
const INTERVAL = 30_000

/** The connections of uploads, which Node would end after the usual time for a request. */
const receiving = new WeakSet<Socket>()

export function isReceivingFile(socket: Socket): boolean {
  return receiving.has(socket)
}

/** A request to upload a file. */
export interface FileRequest {
  readonly reply: FastifyReply
  readonly caller: Caller
  /** The file can take minutes to arrive. Refuses if the session or the key has ended meanwhile. */
  readonly authenticateAgain: () => Promise<unknown>
  readonly operation: Operation
  readonly handler: AnyHandler
  readonly input: Record<string, unknown>
  readonly options: CallOptions
}

/** On the routes of this scope the body is a file of any type, which the handler reads. */
export function takeFiles(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, body: IncomingMessage, done) => done(null, body))
}

/**
 * Streams the file into the storage and performs the operation with it. The right is checked before anything is received, and
 * once more by the operation. The write quota is taken before, too, and given back if the upload fails.
 */
export async function performUpload(
  services: Services,
  slots: UploadSlots,
  { reply, caller, authenticateAgain, operation, handler, input, options: { charge, ...options } }: FileRequest,
): Promise<HandlerOutcome<unknown>> {
  const { request } = reply
  const { actor, lookAhead } = caller
  const size = lengthOf(request, maxBytes(services.config))
  await authorize(services, actor, input, operation.access ?? {}, { lookAhead })
  const member = memberOf(actor)
  const ownerId = await ownerOf(services, member)
  const free = slots.take(ownerId)
  let giveBack: (() => void) | undefined
  let upload: Reservation | undefined
  try {
    const name = fileName(String(input['name']))
    const roomId = String(input['roomId'])
    upload = await reserveUpload(services, { roomId, uploaderId: member.id, ownerId, name, size })
    giveBack = await charge?.()
    request.deadline.pause()
    const file = await receive(services, upload, request.raw).finally(() => request.deadline.resume())
    await authenticateAgain()
    return await perform(services, { actor }, operation, handler, { ...input, file }, options)
  } catch (error) {
    giveBack?.()
    if (upload) await releaseUpload(services, upload.id)
    // What wasn't read would block the connection; a client that stalls can't be waited for.
    request.raw.resume()
    if (!(error instanceof ContentError)) throw error
    void reply.header('connection', 'close')
    throw brokenOff(error)
  } finally {
    free()
  }
}

function lengthOf({ headers }: FastifyRequest, largest: number): number {
  const given = headers['content-length']
  if (given === undefined || headers['transfer-encoding'] !== undefined)
    throw wrongField('content-length', 'is required')
  const size = Number(given)
  if (size === 0) throw wrongField('file', 'must not be empty', 'file_empty')
  if (size > largest) throw wrongField('file', `must be at most ${largest / MEBIBYTE} MiB`, 'file_too_large')
  return size
}

async function receive(
  services: Services,
  { id, size, ownerId }: Reservation,
  body: IncomingMessage,
): Promise<ReceivedFile> {
  const head: Buffer[] = []
  const content = Readable.from(chunksOf(body, head), { objectMode: false })
  const file = await storeFile(services, content, size)
  const type = sniffType(Buffer.concat(head).subarray(0, SNIFFED_BYTES))
  const preview = await makePreview(services, { type, size, personId: ownerId }, () => contentOf(services, file))
  if (!preview) return { id, type, file, storedBytes: storedBytes(size) }
  const { webp, width, height } = preview
  const stored = await storeFile(services, Buffer.from(webp), webp.length)
  return { id, type, file, preview: stored, width, height, storedBytes: storedBytes(size) + storedBytes(webp.length) }
}

async function contentOf({ files }: Services, name: string): Promise<Readable> {
  const found = await files.get(name)
  if (!found) throw new Error(`the file ${name} that was just stored is missing`)
  return found.body
}

/** The content as it arrives; `head` gets its first chunks. Fails if the client stalls or is too slow. */
async function* chunksOf(body: IncomingMessage, head: Buffer[]): AsyncGenerator<Buffer> {
  const ended = Promise.withResolvers<never>()
  // It may be rejected while nobody waits for a chunk.
  ended.promise.catch(() => undefined)
  let received = 0
  let before = 0
  let isStoring = false
  const watching = setInterval(() => {
    // While the storage takes its time, nothing is read from the client.
    if (!isStoring && received - before < (SLOWEST * INTERVAL) / 1000) ended.reject(new Stalled())
    before = received
  }, INTERVAL)
  const chunks: AsyncIterator<Buffer> = body.iterator({ destroyOnReturn: false })
  receiving.add(body.socket)
  try {
    for (;;) {
      const { done, value: chunk } = await Promise.race([chunks.next(), ended.promise])
      if (done) return
      if (received < SNIFFED_BYTES) head.push(chunk)
      received += chunk.length
      isStoring = true
      yield chunk
      isStoring = false
    }
  } finally {
    clearInterval(watching)
    receiving.delete(body.socket)
  }
}

class Stalled extends Error {}

/** The client is slow, or gone and gets no answer. */
function brokenOff({ cause }: ContentError): Refusal {
  if (cause instanceof Stalled) return wrongField('file', 'the upload stalled; send it again', 'upload_stalled')
  return wrongField('file', 'is incomplete; send it again', 'upload_stalled')
}
