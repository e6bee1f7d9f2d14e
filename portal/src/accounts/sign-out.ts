import { explainError, isUnreachable } from '#api/explain-error.ts'
import { m } from '#paraglide/messages.js'
import { showToast } from '#ui/toasts.svelte.ts'
import { leave } from './change-account.ts'

/** Signs out, or shows why that failed. */
export async function signOut(): Promise<void> {
  try {
    await leave()
  } catch (error) {
    showToast(() => (isUnreachable(error) ? m.sign_out_no_connection() : explainError(error)))
  }
}
