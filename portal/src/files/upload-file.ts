import type { UploadedFile } from '@portico/contract'
import { parseResponse, Unreachable } from '#api/api.ts'

interface UploadOptions {
  readonly signal: AbortSignal
  /** The bytes that were sent so far. */
  readonly onprogress: (sent: number) => void
}

/** A connection over which nothing moves for so long is lost, even if nobody says so. */
const STALLED_MS = 45_000

/** Uploads a file to a room. By XMLHttpRequest: `fetch` doesn't say how much was sent. */
export function uploadFile(roomId: string, file: File, { signal, onprogress }: UploadOptions): Promise<UploadedFile> {
  const { promise, resolve, reject } = Promise.withResolvers<UploadedFile>()
  const request = new XMLHttpRequest()
  const lose = () => reject(new Unreachable('The upload was interrupted'))
  let stalled: ReturnType<typeof setTimeout> | undefined
  const moved = (): void => {
    clearTimeout(stalled)
    stalled = setTimeout(() => {
      lose()
      request.abort()
    }, STALLED_MS)
  }

  request.open('POST', `/portal/v1/rooms/${roomId}/files?name=${encodeURIComponent(file.name)}`)
  // The server decides by the content what it is.
  request.setRequestHeader('content-type', 'application/octet-stream')
  request.upload.addEventListener('progress', ({ loaded }) => {
    moved()
    onprogress(loaded)
  })
  request.addEventListener('load', () => {
    resolve(parseResponse(new Response(request.responseText, { status: request.status })))
  })
  request.addEventListener('error', lose)
  request.addEventListener('loadend', () => clearTimeout(stalled))
  signal.addEventListener('abort', () => {
    reject(signal.reason)
    request.abort()
  })
  moved()
  request.send(file)
  return promise
}
