/** The parameters of a request, without the prompts that the person has already answered. */
export function withoutPrompts(params: URLSearchParams, done: readonly string[]): URLSearchParams {
  const prompts = (params.get('prompt') ?? '').split(' ').filter((prompt) => prompt !== '' && !done.includes(prompt))
  const rest = new URLSearchParams(params)
  rest.delete('prompt')
  if (prompts.length > 0) rest.set('prompt', prompts.join(' '))
  return rest
}
