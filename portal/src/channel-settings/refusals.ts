import { RIGHTS } from '@portico/contract/rights'
import { learnToExplain } from '#explain-error.ts'
import { m } from '#paraglide/messages.js'
import { RIGHT_LABELS } from '#roles/right-labels.ts'

/** Why the server says no to those who look after a channel. Learnt when the first of these pages is opened. */
export function learnRefusals(): void {
  learnToExplain({
    missingRight: (name) => {
      const right = RIGHTS.find((one) => one === name)
      return m.channel_settings_refused_right({ right: right ? RIGHT_LABELS[right].title() : name })
    },
    reasons: {
      changed_meanwhile: m.channel_settings_refused_changed,
      member_not_admitted: m.channel_settings_refused_not_admitted,
      higher_rank_admitted: m.channel_settings_refused_higher_admitted,
      higher_rank_shut_out: m.channel_settings_refused_shuts_out,
      no_such_application: m.channel_settings_refused_no_application,
      no_such_category: m.channel_settings_refused_no_category,
      no_such_invitation: m.channel_settings_refused_no_invitation,
      no_such_role: m.channel_settings_refused_no_role,
      no_such_room: m.channel_settings_refused_no_room,
      not_a_member: m.channel_settings_refused_not_member,
      not_in_voice: m.channel_settings_refused_not_in_voice,
      not_the_owner: m.channel_settings_refused_owner_only,
      other_roles: m.channel_settings_refused_other_roles,
      outranked: m.channel_settings_refused_outranked,
      owns_too_many_channels: m.channel_settings_refused_owns_too_many,
      owner_cannot_leave: m.channel_settings_refused_owner_leaves,
      role_for_bots: m.channel_settings_refused_bot_role,
      room_full: m.channel_settings_refused_room_full,
      system_role: m.channel_settings_refused_system_role,
      too_many_categories: m.channel_settings_refused_too_many_categories,
      too_many_invitations: m.channel_settings_refused_too_many_invitations,
      too_many_roles: m.channel_settings_refused_too_many_roles,
      too_many_rooms: m.channel_settings_refused_too_many_rooms,
      wrong_name: m.channel_settings_refused_wrong_name,
    },
  })
}
