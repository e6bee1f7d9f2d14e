import { SignInAnswer, SignInQuestion } from '@portico/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Interaction, Provider } from 'oidc-provider'
import { findSession, type SignedInPerson } from '../accounts/find-session.ts'
import { rememberConsent } from '../consents/consents.ts'
import { isWriteConflict } from '../db/violations.ts'
import { refuseForeignOrigin } from '../http/refuse-foreign-origin.ts'
import { readSessionCookie } from '../http/session-cookie.ts'
import type { Services } from '../operations/services.ts'
import { clientStore } from './client-store.ts'
import type { CurrentProvider } from './current-provider.ts'
import { loadQuestion } from './load-question.ts'
import { errors } from './oidc-errors.ts'
import { secondsOf } from './payload.ts'
import { OAUTH_PATHS } from '../http/oauth-paths.ts'
import { INTERACTION, REQUEST_QUESTION } from './interaction-paths.ts'
import { allowedBy } from './scopes.ts'
import { signInChanged, signInOver, signInSwitchedOff } from './sign-in-refusals.ts'
import { withoutPrompts } from './without-prompts.ts'

/** The data of a sign-in page, and the person's answers. */
interface Visit {
  readonly provider: Provider
  readonly interaction: Interaction
  readonly person: SignedInPerson | undefined
  /** Ends the interaction and returns the address at which the sign-in continues. */
  finish(result: Parameters<Provider['interactionResult']>[2]): Promise<string>
}

/**
 * The API of the portal's sign-in page. The page's script reads the response and navigates itself: the content security
 * policy would block a form's redirect to the website.
 */
export function interactionRoutes(app: FastifyInstance, current: CurrentProvider, services: Services): void {
  const visitOf = async (request: FastifyRequest, reply: FastifyReply): Promise<Visit> => {
    const provider = await current()
    const interaction = await currentInteraction(provider, request, reply)
    const token = readSessionCookie(request, services.config)
    const person = token === undefined ? undefined : await findSession(services, token)
    const finish: Visit['finish'] = (result) => provider.interactionResult(request.raw, reply.raw, result)
    return { provider, interaction, person, finish }
  }

  app.get(`${INTERACTION}/:uid/question`, {
    config: { operation: 'getSignInQuestion' },
    schema: { response: { 200: SignInQuestion } },
    handler: async (request, reply) => {
      const { interaction, person } = await visitOf(request, reply)
      void reply.header('cache-control', 'no-store')
      return loadQuestion(services, interaction, person, stepOf(interaction, person))
    },
  })

  const clients = clientStore(services)
  app.get<{ Querystring: Record<string, unknown> }>(REQUEST_QUESTION, {
    config: { operation: 'getSignInQuestion' },
    schema: { response: { 200: SignInQuestion } },
    handler: async ({ query: params }) => {
      const client = await clients.find(String(params['client_id']))
      if (!client?.redirect_uris?.includes(String(params['redirect_uri']))) throw signInSwitchedOff()
      return loadQuestion(services, { params }, undefined, 'sign-in')
    },
  })

  const answers = { continue: goOn, allow, deny }
  for (const [name, act] of Object.entries(answers)) {
    app.post(`${INTERACTION}/:uid/${name}`, {
      config: { operation: `${name}SignIn` },
      schema: { response: { 200: SignInAnswer } },
      onRequest: async (request) => refuseForeignOrigin(request, services),
      handler: async (request, reply) => ({ location: await act(await visitOf(request, reply), services) }),
    })
  }
}

/** The interaction that this browser started. Someone else's, sent as a link, would sign its sender in as the visitor. */
async function currentInteraction(
  provider: Provider,
  { raw, params }: FastifyRequest,
  reply: FastifyReply,
): Promise<Interaction> {
  const { uid } = params as { uid: string }
  const interaction = await provider.interactionDetails(raw, reply.raw).catch((error: unknown) => {
    if (error instanceof errors.SessionNotFound) throw signInOver()
    throw error
  })
  if (interaction.uid !== uid) throw signInOver()
  return interaction
}

function stepOf(interaction: Interaction, person: SignedInPerson | undefined): SignInQuestion['step'] {
  if (!person) return 'sign-in'
  const requested = interaction.session?.accountId
  if (requested !== undefined && requested !== person.id) return 'continue'
  if (interaction.prompt.name === 'consent') return 'consent'
  if (interaction.prompt.name === 'select_account') return 'select-account'
  return requested === undefined || signedInSince(interaction, person) ? 'continue' : 'sign-in-again'
}

function signedInSince({ iat }: Interaction, { signedInAt }: SignedInPerson): boolean {
  return secondsOf(signedInAt) >= iat
}

/** Continues as the person who has signed in meanwhile, or whose account was chosen. */
async function goOn({ interaction, person, finish }: Visit): Promise<string> {
  const step = stepOf(interaction, person)
  if (!person || (step !== 'continue' && step !== 'select-account')) throw signInChanged()
  if (interaction.session && interaction.session.accountId !== person.id) return begunAnew(interaction, person)
  return finish({ login: { accountId: person.id, ts: secondsOf(person.signedInAt) }, select_account: {} })
}

/** Restarts the request, because its progress belonged to another person. */
function begunAnew(interaction: Interaction, person: SignedInPerson): string {
  const params = new URLSearchParams(interaction.params as Record<string, string>)
  const done = signedInSince(interaction, person) ? ['login', 'select_account'] : ['select_account']
  return `${OAUTH_PATHS.authorization}?${withoutPrompts(params, done).toString()}`
}

async function allow({ provider, interaction, person, finish }: Visit, services: Services): Promise<string> {
  if (!person || stepOf(interaction, person) !== 'consent') throw signInChanged()
  const clientId = String(interaction.params['client_id'])
  const scope = String(interaction.params['scope'])
  const grant = new provider.Grant({ accountId: person.id, clientId })
  grant.addOIDCScope(scope)
  try {
    const allowed = { accountId: person.id, applicationId: clientId, scopes: allowedBy(scope) }
    await rememberConsent(services.database.kysely, allowed)
    return await finish({ consent: { grantId: await grant.save() } })
  } catch (error) {
    if (isWriteConflict(error) || error instanceof errors.AccessDenied) throw signInSwitchedOff()
    throw error
  }
}

function deny({ finish }: Visit): Promise<string> {
  return finish({ error: 'access_denied', error_description: 'The person said no.' })
}
