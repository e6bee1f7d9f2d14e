import { hueOf } from '@portico/contract/hue-of'

/** The default avatar: white initials on a colour derived from the id. */
export function initialsPicture(id: string, name: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" role="img"><rect width="128" height="128" fill="hsl(${hueOf(id)} 48% 31%)"/><text x="64" y="66" fill="#fff" font-family="Inter,system-ui,sans-serif" font-size="52" font-weight="600" text-anchor="middle" dominant-baseline="central">${escape(initials(name))}</text></svg>`
}

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return letters
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
