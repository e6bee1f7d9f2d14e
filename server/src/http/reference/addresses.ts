/** The API reference. */
export const REFERENCE_URL = '/docs'

/** The guides of `docs/` that every portal serves, in the order of the table of contents. */
export const GUIDES: Readonly<Record<string, readonly string[]>> = {
  'For bot developers': ['bot-api', 'sdk', 'deploy-a-bot', 'events', 'file-api', 'api-rules', 'coming-from'],
  'For websites': ['sign-in'],
  'For people': ['sending-files', 'broadcasting'],
  'For operators': ['self-hosting', 'scaling', 'operations', 'settings'],
}

export function guideUrl(name: string): string {
  return `${REFERENCE_URL}/guides/${name}`
}

/** The addresses of all pages. */
export const PAGE_URLS: readonly string[] = [REFERENCE_URL, ...Object.values(GUIDES).flat().map(guideUrl)]
