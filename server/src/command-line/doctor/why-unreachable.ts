import { hasCode } from '../../db/embedded/file-errors.ts'

interface Why {
  readonly text: string
  readonly hint: string
}

/** Why an address is unreachable, in the operator's terms. */
export function whyUnreachable(error: unknown, url: string): Why {
  const { hostname } = new URL(url)
  if (hasCode(error, 'ENOTFOUND', 'EAI_AGAIN')) {
    return {
      text: `the name ${hostname} doesn’t resolve`,
      hint: `Add a DNS entry for ${hostname} that names this machine, or correct PUBLIC_URL.`,
    }
  }
  if (hasCode(error, 'ECONNREFUSED')) {
    return {
      text: `nothing listens at ${url}`,
      hint: 'Start the reverse proxy, or correct PUBLIC_URL. Without a proxy, HOST=0.0.0.0 opens PORT to other machines.',
    }
  }
  if (hasCode(error, 'CERT_HAS_EXPIRED')) {
    return { text: `the certificate of ${hostname} has expired`, hint: 'Renew it, and reload the reverse proxy.' }
  }
  if (hasCode(error, 'ERR_TLS_CERT_ALTNAME_INVALID')) {
    return {
      text: `the certificate at ${hostname} is for another name`,
      hint: `Give the reverse proxy a certificate for ${hostname}, or correct PUBLIC_URL.`,
    }
  }
  if (hasCode(error, ...UNKNOWN_ISSUER)) {
    return {
      text: `the certificate of ${hostname} has an issuer that this machine doesn’t trust`,
      hint: 'Send the whole chain. For your own issuer, set NODE_EXTRA_CA_CERTS to its file.',
    }
  }
  if (hasCode(error, 'EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER')) {
    return { text: `${url} doesn’t support TLS`, hint: 'Set the reverse proxy up for https, or correct PUBLIC_URL.' }
  }
  const reason = error instanceof Error ? error.message : String(error)
  return {
    text: `${url} doesn’t respond from here (${reason})`,
    hint: 'Open it in a browser elsewhere. If it works there, only this network can’t reach its own public address.',
  }
}

const UNKNOWN_ISSUER = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]
