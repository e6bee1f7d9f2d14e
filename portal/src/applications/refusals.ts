import { learnToExplain } from '#explain-error.ts'
import { m } from '#paraglide/messages.js'

/** Why the server says no to those who look after an application. */
export function learnRefusals(): void {
  learnToExplain({
    reasons: {
      no_such_application: m.apps_refused_no_such_application,
      no_such_delivery: m.apps_refused_no_such_delivery,
      no_webhook: m.apps_refused_no_webhook,
      not_a_member: m.apps_refused_not_a_member,
      outranked: m.apps_refused_outranked,
      redirect_address: m.apps_refused_redirect_uri,
      too_many_applications: m.apps_refused_too_many,
      webhook_address: m.apps_refused_webhook_address,
      webhook_network: m.apps_refused_webhook_network,
      webhook_off: m.apps_refused_webhook_off,
      webhook_paused: m.apps_refused_webhook_paused,
      wrong_name: m.apps_refused_wrong_name,
    },
  })
}
