import type { HandleClientError } from '@sveltejs/kit/hooks'
import { onRepeatedRequest } from '#api/api.ts'
import { reportDefect } from '#defects/report-defect.ts'

onRepeatedRequest((error) => reportDefect('api', error))

/** What no boundary caught: the error page is shown. */
export const handleError: HandleClientError = ({ kind, error }) => {
  if (kind === 'unknown') reportDefect('page', error)
}
