import { X509Certificate } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { ARRIVAL_PATH } from '../../http/arrival-route.ts'
import { httpsCertificatePath, readHttpsCertificate } from '../../http/https-certificate.ts'
import { arrivalOf } from './arrival-of.ts'
import { ask, type Answered } from './ask.ts'
import { failure, ok, type Finding } from './finding.ts'

const OTHERS = 'Other devices'

/** Whether the portal answers at its https address, with the certificate of the data folder. */
export async function checkHttps(config: Config, url: string, token: string): Promise<Finding> {
  const certificate = await readHttpsCertificate(config)
  if (!certificate) {
    return failure(OTHERS, `${httpsCertificatePath(config)} has no certificate`, 'Restart the portal: it creates one.')
  }
  const { cert: ca } = certificate
  let answer: Answered
  try {
    answer = await ask({ url: url + ARRIVAL_PATH, token, ca })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failure(
      OTHERS,
      `${url} doesn’t respond (${reason})`,
      'Allow its port in the firewall, or restart the portal.',
    )
  }
  if (!arrivalOf(answer))
    return failure(OTHERS, `${url} leads to another program`, 'Stop it, or choose another HTTPS_PORT.')
  const until = new X509Certificate(ca).validToDate.toISOString().slice(0, 10)
  return ok(OTHERS, `${url} leads here, with a certificate until ${until}`)
}
