import { explainError } from '#explain-error.ts'
import { showToast } from '#ui/toasts.svelte.ts'
import { leave } from './change-account.ts'

/** Signs out, or shows why that failed. */
export async function signOut(): Promise<void> {
  try {
    await leave()
  } catch (error) {
    showToast(() => explainError(error))
  }
}
