import type { interactionPolicy } from 'oidc-provider'
import { base, Prompt } from './oidc-library.ts'

/** When a person is asked: to sign in, to choose an account if the website wants that, and to consent. */
export function promptPolicy(): interactionPolicy.DefaultPolicy {
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 1)
  return policy
}
