import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { ANSWER_WITHIN, exactly, requireFileName, type FileStore } from './file-store.ts'
import { StallTimer } from './stall-timer.ts'

export interface S3Address {
  /** With `{bucket}` in the host name, the bucket is addressed there, otherwise in the path. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly name: string
  readonly headers?: Readonly<Record<string, string>>
  /** A stream can't be sent twice, so such a request isn't repeated. */
  readonly body?: Buffer | ReadableStream
  readonly timer: StallTimer
}

/** In milliseconds, before the second and the third attempt. */
const RETRY_AFTER = [100, 400]
const DELETED_AT_ONCE = 8

/** Files in a bucket of S3-compatible storage. They are never public: the portal fetches and passes them on. */
export function s3Store(address: S3Address): FileStore {
  const { bucket, endpoint } = address
  const urlOf = (name: string): string => fileUrl(address, name)

  async function send({ method, name, headers = {}, body, timer }: S3Request): Promise<Response> {
    const signer = new AwsV4Signer({ ...address, service: 's3', method, url: urlOf(name), headers: { ...headers } })
    const signed = await signer.sign()
    signed.headers.set('accept-encoding', 'identity')
    return fetch(signed.url, {
      method,
      headers: signed.headers,
      redirect: 'manual',
      signal: timer.signal,
      ...(body && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : body, duplex: 'half' }),
    })
  }

  /** All attempts together take no longer than the timer allows. */
  async function request(wanted: S3Request): Promise<Response> {
    wanted.timer.start()
    try {
      for (let attempt = 0; ; attempt += 1) {
        const pause = wanted.body instanceof ReadableStream ? undefined : RETRY_AFTER[attempt]
        const response = await send(wanted).catch((error: unknown) => {
          if (pause === undefined || wanted.timer.signal.aborted) throw reasonOf(error, wanted.timer.signal)
        })
        if (response && (response.status < 500 || pause === undefined)) return response
        await response?.body?.cancel()
        await sleep(pause)
      }
    } finally {
      wanted.timer.stop()
    }
  }

  /** For requests whose answer has no content. */
  async function carryOut(wanted: S3Request, ...expected: number[]): Promise<void> {
    const response = await expectStatus(await request(wanted), ...expected)
    wanted.timer.start()
    try {
      await response.arrayBuffer()
    } finally {
      wanted.timer.stop()
    }
  }

  return {
    kind: 'bucket',
    place: `the bucket ${bucket} at ${new URL(endpoint.replace('{bucket}', bucket)).origin}`,

    put: async (name, content, length) => {
      const timer = new StallTimer(ANSWER_WITHIN)
      const common = { 'content-length': String(length), 'content-type': 'application/octet-stream' }
      if (Buffer.isBuffer(content)) {
        const headers = { ...common, 'x-amz-content-sha256': createHash('sha256').update(content).digest('hex') }
        await carryOut({ method: 'PUT', name, headers, body: content, timer }, 200)
        return
      }
      const source = new SentContent(content, length, timer)
      try {
        const body = streamOf(source.chunks())
        await carryOut({ method: 'PUT', name, headers: common, body, timer }, 200)
      } catch (error) {
        throw source.error ?? error
      }
    },

    get: async (name, range) => {
      const headers = range && { range: `bytes=${range.start}-${range.end}` }
      const timer = new StallTimer(ANSWER_WITHIN)
      const response = await request({ method: 'GET', name, ...(headers && { headers }), timer })
      if (response.status === 404 && (await errorCode(response)) === 'NoSuchKey') return undefined
      const { body } = await expectStatus(response, range ? 206 : 200)
      const length = response.headers.get('content-length')
      if (length === null || !body) throw new Error('the storage answered without a length')
      return { length: Number(length), body: Readable.from(received(body, timer), { objectMode: false }) }
    },

    delete: async (names) => {
      const left = names.values()
      const worker = async (): Promise<void> => {
        for (const name of left) {
          const timer = new StallTimer(ANSWER_WITHIN)
          await carryOut({ method: 'DELETE', name, timer }, 200, 204, 404)
        }
      }
      await Promise.all(Array.from({ length: DELETED_AT_ONCE }, worker))
    },
  }
}

/** The address of a file. Only a signed request to it is answered. */
export function fileUrl({ endpoint, bucket }: Pick<S3Address, 'endpoint' | 'bucket'>, name: string): string {
  const base = endpoint.replace(/\/+$/, '')
  const ofBucket = base.includes('{bucket}') ? base.replace('{bucket}', bucket) : `${base}/${bucket}`
  return `${ofBucket}/${requireFileName(name)}`
}

/** What is sent. The timer runs only while the storage takes it, not while the sender of the content is slow. */
class SentContent {
  /** Why the content broke off, if it did. */
  error: unknown
  readonly #chunks: AsyncGenerator<Buffer>
  readonly #timer: StallTimer

  constructor(content: Readable, length: number, timer: StallTimer) {
    this.#chunks = exactly(content, length)
    this.#timer = timer
  }

  async *chunks(): AsyncGenerator<Buffer> {
    try {
      this.#timer.stop()
      for await (const chunk of this.#chunks) {
        this.#timer.start()
        yield chunk
        this.#timer.stop()
      }
      this.#timer.start()
    } catch (error) {
      this.error = error
      throw error
    }
  }
}

/** Reads a chunk only when one is requested, so that the timer knows who is slow. */
function streamOf(chunks: AsyncGenerator<Buffer>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await chunks.return(undefined)),
    },
    { highWaterMark: 0 },
  )
}

/** The timer runs only while the storage sends, not while the receiver is slow. */
async function* received(body: ReadableStream<Uint8Array>, timer: StallTimer): AsyncGenerator<Uint8Array> {
  try {
    timer.start()
    for await (const chunk of body) {
      timer.stop()
      yield chunk
      timer.start()
    }
  } finally {
    timer.stop()
  }
}

async function expectStatus(response: Response, ...expected: number[]): Promise<Response> {
  if (expected.includes(response.status)) return response
  throw new Error(`the storage answered ${response.status} ${await errorCode(response)}`.trim())
}

/** Such as `NoSuchKey` or `AccessDenied`. The rest of the answer isn't for logs: it can repeat the signed request. */
async function errorCode(response: Response): Promise<string> {
  const text = await response.text().catch(() => '')
  return /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? ''
}

/** `fetch` hides the reason of a failure behind a general error. */
function reasonOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  return error instanceof Error && error.cause instanceof Error ? error.cause : error
}
