import { learnToExplain } from '#explain-error.ts'
import { m } from '#paraglide/messages.js'

/** Why the server says no to those who look after the portal. */
export function learnRefusals(): void {
  learnToExplain({
    reasons: {
      last_administrator: m.administration_refused_last,
      no_such_channel: m.administration_refused_no_channel,
      no_such_person: m.administration_refused_no_person,
      not_a_member: m.channel_settings_refused_not_member,
      not_an_administrator: m.administration_forbidden_text,
      owns_too_many_channels: m.channel_settings_refused_owns_too_many,
      wrong_name: m.channel_settings_refused_wrong_name,
    },
  })
}
