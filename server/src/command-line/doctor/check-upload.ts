import { ARRIVAL_PATH } from '../../http/arrival-route.ts'
import { ask } from './ask.ts'
import { failure, ok, warning, type Finding } from './finding.ts'

const UPLOADS = 'Uploads'

interface Upload {
  readonly url: string
  readonly token: string
  /** The largest body of the portal. */
  readonly bodyBytes: number
}

/** Sends a body as large as the largest file. Many proxies refuse more than 1 MB unless configured otherwise. */
export async function checkUpload({ url, token, bodyBytes }: Upload): Promise<Finding> {
  const megabytes = bodyBytes / 1024 ** 2
  const largest = `${megabytes} MiB`
  let status: number
  try {
    ;({ status } = await ask({ url: url + ARRIVAL_PATH, token, bodyBytes }))
  } catch (error) {
    if (isTimeout(error)) {
      return warning(UPLOADS, `${largest} didn’t arrive within 10 seconds`, 'Check the upload speed to the portal.')
    }
    return refused(megabytes, 'the connection was closed')
  }
  if (status !== 200) return refused(megabytes, `the answer is ${status}`)
  return ok(UPLOADS, `files of up to ${largest} get through`)
}

function refused(megabytes: number, how: string): Finding {
  return failure(
    UPLOADS,
    `files of ${megabytes} MiB don’t get through: ${how}`,
    `Let the reverse proxy pass larger bodies (nginx: client_max_body_size ${megabytes + 5}m). Samples: docs/self-hosting.md`,
  )
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
}
