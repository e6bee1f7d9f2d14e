import { tileColor } from '@portico/contract/tile-color'

/** The default avatar: white initials on a color derived from the id. */
export function initialsPicture(id: string, initials: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" role="img"><rect width="128" height="128" fill="${tileColor(id)}"/><text x="64" y="66" fill="#fff" font-family="Inter,system-ui,sans-serif" font-size="52" font-weight="600" text-anchor="middle" dominant-baseline="central">${escape(initials)}</text></svg>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
