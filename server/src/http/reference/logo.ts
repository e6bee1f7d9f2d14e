import { html, type Html } from './html.ts'

/** The portal's logo: a door under an arch. */
export function logo(size: number): Html {
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${size}"
    height="${size}"
    viewBox="0 0 64 64"
    aria-hidden="true"
  >
    <rect width="64" height="64" rx="15" fill="#4350d8" />
    <path fill="#fff" d="M15 46V30a17 17 0 0 1 34 0v16h-7V30a10 10 0 0 0-20 0v16z" />
    <path fill="#fff" fill-opacity=".55" d="M27 46V31a5 5 0 0 1 10 0v15z" />
    <path fill="#fff" d="M13.25 48.5h37.5a2.25 2.25 0 0 1 0 4.5h-37.5a2.25 2.25 0 0 1 0-4.5" />
  </svg>`
}
