import { learnToExplain } from '#explain-error.ts'
import { m } from '#paraglide/messages.js'

/** Why the server says no to those who look after an application. */
export function learnRefusals(): void {
  learnToExplain({
    reasons: {
      no_such_application: m.applications_refused_no_such_application,
      no_such_delivery: m.applications_refused_no_such_delivery,
      no_webhook: m.applications_refused_no_webhook,
      not_a_member: m.applications_refused_not_a_member,
      outranked: m.applications_refused_outranked,
      redirect_address: m.applications_refused_redirect_uri,
      too_many_applications: m.applications_refused_too_many,
      webhook_address: m.applications_refused_webhook_address,
      webhook_network: m.applications_refused_webhook_network,
      webhook_off: m.applications_refused_webhook_off,
      webhook_paused: m.applications_refused_webhook_paused,
      wrong_name: m.applications_refused_wrong_name,
    },
  })
}
