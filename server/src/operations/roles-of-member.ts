import { sql } from 'kysely'

/** All roles of the member `m` of the surrounding statement, as one array of ids: for `= ANY`, by index. */
export const ROLE_IDS_OF_MEMBER = `array_append(ARRAY(
  SELECT g.role_id FROM member_roles g WHERE g.channel_id = m.channel_id AND g.account_id = m.account_id
), m.role_id)`
export const roleIdsOfMember = sql.raw(ROLE_IDS_OF_MEMBER)

/** The roles of the surrounding `FROM roles`, highest first, with all that decides what they allow. */
export const ROLE_FACTS = `json_agg(
  json_build_object('id', id, 'systemName', system_name, 'name', name, 'color', color, 'rank', rank, 'rights', rights)
  ORDER BY rank DESC
)`
export const roleFacts = sql.raw(ROLE_FACTS)
