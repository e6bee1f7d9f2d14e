import { sql } from 'kysely'
import { ROLE_IDS_OF_MEMBER } from '../operations/roles-of-member.ts'

/** The highest role of the member `m` of the surrounding statement. */
export const TOP_ROLE = `(
  SELECT json_strip_nulls(json_build_object('systemName', t.system_name, 'name', t.name, 'color', t.color)) FROM roles t
  WHERE t.id = ANY (${ROLE_IDS_OF_MEMBER}) ORDER BY t.rank DESC LIMIT 1
)`
export const topRole = sql.raw(TOP_ROLE)
