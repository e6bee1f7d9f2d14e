import type { interactionPolicy } from 'oidc-provider'
import { base, Prompt } from './oidc-library.ts'

/** When a person is asked: to sign in, to choose an account if the website wants that, and to consent. */
export function promptPolicy(): interactionPolicy.DefaultPolicy {
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 1)
  return policy
}

/** The parameters of a request, without the prompts that the person has already answered. */
export function withoutPrompts(params: URLSearchParams, done: readonly string[]): URLSearchParams {
  const prompts = (params.get('prompt') ?? '').split(' ').filter((prompt) => prompt !== '' && !done.includes(prompt))
  const rest = new URLSearchParams(params)
  rest.delete('prompt')
  if (prompts.length > 0) rest.set('prompt', prompts.join(' '))
  return rest
}
