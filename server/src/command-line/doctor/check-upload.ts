import { LIMITS } from '@portico/contract'
import { ARRIVAL_PATH } from '../../http/arrival-route.ts'
import { ask } from './ask.ts'
import { failure, ok, warning, type Finding } from './finding.ts'

const UPLOADS = 'Uploads'
const LARGEST = `${LIMITS.pictureBytes / 1024 ** 2} MiB`

/** Sends a body as large as the largest picture. Many proxies refuse more than 1 MB unless configured otherwise. */
export async function checkUpload({ url, token }: { url: string; token: string }): Promise<Finding> {
  const bodyBytes = LIMITS.pictureBytes
  let status: number
  try {
    ;({ status } = await ask({ url: url + ARRIVAL_PATH, token, bodyBytes }))
  } catch (error) {
    if (isTimeout(error)) {
      return warning(UPLOADS, `${LARGEST} did not arrive within 10 seconds`, 'Check the upload speed to the portal.')
    }
    return refused('the connection was closed')
  }
  return status === 200 ? ok(UPLOADS, `pictures of up to ${LARGEST} get through`) : refused(`the answer is ${status}`)
}

function refused(how: string): Finding {
  return failure(
    UPLOADS,
    `pictures of ${LARGEST} do not get through: ${how}`,
    'Let the reverse proxy pass larger bodies (nginx: client_max_body_size 10m). Samples: docs/self-hosting.md',
  )
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
}
