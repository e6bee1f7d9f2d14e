import { botDocument } from '../documents.ts'
import { REFERENCE_URL } from './addresses.ts'
import { guidePage, readGuides, sectionsOf } from './guides.ts'
import { operationsFound, referencePage } from './page.ts'

export interface ReferencePages {
  /** A page as HTML, by its address. */
  page(url: string): string
  /** What a search over all pages finds, as JSON. */
  search(): string
}

/** The API reference and the guides. They are put together for the first reader: a start doesn't wait for them. */
export function referencePages(publicUrl: string, version: string): ReferencePages {
  const document = botDocument(publicUrl, version)
  const guides = readGuides()
  const pages = [{ url: REFERENCE_URL, title: 'API reference', group: 'For bot developers' }, ...guides]
  return {
    page(url) {
      const guide = guides.find((one) => one.url === url)
      return guide ? guidePage(guide, pages, version) : referencePage(document, pages)
    },
    search: () => JSON.stringify([...guides.flatMap(sectionsOf), ...operationsFound(document)]),
  }
}
