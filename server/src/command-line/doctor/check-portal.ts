import { hasCode } from '../../db/embedded/file-errors.ts'
import { ARRIVAL_PATH, type Arrival } from '../../http/arrival-route.ts'
import { programVersion } from '../../config/program-version.ts'
import { arrivalOf, isPortico } from './arrival-of.ts'
import { ask, type Answered } from './ask.ts'
import { failure, ok, warning, type Finding } from './finding.ts'
import { whyUnreachable } from './why-unreachable.ts'

const PORTAL = 'Portal'

export interface PortalCheck {
  readonly finding: Finding
  /** Undefined if it wasn't reached. */
  readonly arrival?: Arrival
}

/** Whether this portal is running at the configured address. */
export async function checkPortal(local: string, token: string): Promise<PortalCheck> {
  let answer: Answered
  try {
    answer = await ask({ url: local + ARRIVAL_PATH, token })
  } catch (error) {
    if (!hasCode(error, 'ECONNREFUSED')) {
      const { text } = whyUnreachable(error, local)
      return { finding: failure(PORTAL, text, 'Check HOST and PORT, or restart the portal.') }
    }
    const hint = 'Start it and run the doctor again: the address, the proxy and WebSocket can only be checked then.'
    return { finding: warning(PORTAL, `nothing runs at ${local}`, hint) }
  }
  const arrival = arrivalOf(answer)
  if (!arrival) return { finding: stranger(answer, local) }
  const version = programVersion()
  const finding =
    arrival.version === version
      ? ok(PORTAL, `version ${version} runs at ${local}`)
      : warning(PORTAL, `version ${arrival.version} runs at ${local}, but this is ${version}`, 'Restart the portal.')
  return { finding, arrival }
}

function stranger(answer: Answered, local: string): Finding {
  if (isPortico(answer)) {
    return failure(
      PORTAL,
      `a Portico with another secret runs at ${local}`,
      'Run the doctor with the same PORTICO_DATA and PORTICO_SECRET as the portal, or give one of the two another PORT.',
    )
  }
  return failure(PORTAL, `another program answers at ${local}`, 'Stop it, or choose another PORT.')
}
