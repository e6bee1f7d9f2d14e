import type { HandleClientError } from '@sveltejs/kit/hooks'
import { reportDefect } from '#defects/report-defect.ts'

/** What no boundary caught: the error page is shown. */
export const handleError: HandleClientError = ({ kind, error }) => {
  if (kind === 'unknown') reportDefect('page', error)
}
