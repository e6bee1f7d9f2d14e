import { learnToExplain } from '#explain-error.ts'
import { m } from '#paraglide/messages.js'

/** Why the server says no to somebody who looks after their own account. */
export function learnRefusals(): void {
  learnToExplain({
    reasons: {
      last_administrator: m.settings_refused_last_administrator,
      no_such_consent: m.settings_refused_no_consent,
      no_such_session: m.settings_refused_no_session,
      owns_channels: m.settings_refused_owns_channels,
      wrong_password: m.settings_refused_wrong_password,
    },
  })
}
