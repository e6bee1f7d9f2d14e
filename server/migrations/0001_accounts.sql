-- People and bots, how people sign in, and the settings of the portal as a whole.

-- A point in time inside JSON, in the format of every API response.
CREATE FUNCTION iso_time(instant timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT to_char(instant AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

CREATE TABLE instance (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  name text NOT NULL DEFAULT 'Portico',
  registration_open boolean NOT NULL DEFAULT true,
  -- Identifies this event log. A restored database gets a new epoch, because positions in another log mean nothing in it.
  event_epoch text NOT NULL DEFAULT substr(md5(gen_random_uuid()::text), 1, 12),
  -- A one-way derivation of the portal's secret: starting with a different secret is refused
  -- (src/secrets/secret-verifier.ts).
  secret_verifier bytea,
  created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO instance DEFAULT VALUES;

-- What a name looks like: the skeleton of Unicode Technical Standard 39. Compatibility forms are decomposed (full width,
-- mathematical letters, Roman numerals), letters and digits that look like a Latin letter or digit become that one, and
-- case is ignored. The table holds every left-to-right letter and digit of confusables.txt 13.0.0 whose prototype is a
-- single Latin letter or digit. The soft sign and the small palochka are our own additions: the standard maps them to
-- letters that nobody has in a name. It is SQL because the database enforces uniqueness.
CREATE FUNCTION name_skeleton(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
  SELECT replace(lower(translate(normalize(name, NFKD),
    'I|10ıɑɡǀАВСЕԌНІЈКМОРЅТѴԜХУҮӀЗаԁеһіјорсѕухԛѵԝгүΑΒΕΖΗΙΚΜΝΟ' ||
    'ΡΤΥΧͿαγινορσυϳՕՍՏօոսհցզᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣ' ||
    'ꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴьӏƄƍƖƦƧƷƼƽȜȢȣɣɩɪɯʋʏϜϨϺЬбѡҽӠագռք۱۵۷०০৪৭੦੧੪૦ଠ୦୨௦' ||
    '౦೦ഠ൦൭๐໐ဝ၀ყჿሀዐᎡᎥᎩᎽᏂᏎᏏᏔᏕᏧᏮᏳᐯᑌᑭᑯᑲᒍᒪᒿᕁᕼᕽᖇᖯᖴᗅᗞᗪᗰᗷᚷᛁᛕᛖᴄᴏᴑᴜᴠᴡᴢᴦ' ||
    'ᶃᶌẝỿⲅⲎⲒⲔⲘⲚⲞⲟⲢⲣⲤⲥⲦⲨⲬⳊⳌⳐⳒⴸⴹⵏⵔⵕⵝ〇ꓒꙄꙇꛟꛯꜱꝚꝪꝮꞘꞙꞟꞫꞲꞳꞴꬲꬵꬽꭇꭈꭎꭒꭚꭵꮁ' ||
    'ꮃꮓꮩꮪꮯ𐊂𐊆𐊇𐊊𐊐𐊒𐊕𐊖𐊗𐊠𐊡𐊢𐊥𐊫𐊰𐊱𐊲𐊴𐋏𐋵𐌁𐌂𐌉𐌑𐌕𐌗𐌚𐌠𐌢𐐄𐐕𐐛𐐠𐐬𐐽𐑈𐒴𐓂𐓎𐓒𐓪𐓶𐔓𐔖𐔘𐔜𐔝𐔥𐔦𐔧𑓐' ||
    '𑜆𑜊𑜎𑜏𑢠𑢢𑢣𑢤𑢦𑢩𑢬𑢮𑢯𑢲𑢵𑢸𑢻𑢼𑣀𑣁𑣂𑣃𑣄𑣆𑣈𑣊𑣌𑣕𑣖𑣗𑣘𑣜𑣠𑣥𑣦𑣩𑣬𑣯𑣲𖼈𖼊𖼖𖼨𖼵𖼺𖼻𖽀𖽂𖽃',
    'lllOiaglABCEGHlJKMOPSTVWXYYl3adehijopcsyxqvwryABEZHlKMNO' ||
    'PTYXJayivopoujOUSonuhgqABCDEGHJKLMPRSTVWZBPDTGKJCZFMNLSR' ||
    'VHWXYAElOUblbglR235s388yiiwuyF2Mb6we3wqnfloVoO89o98oOO9o' ||
    'oooo9ooooyoUORiYYh4bWSd6GVUPdbJL2xHxRbFADDMBXlKMcoouvwzr' ||
    'gyfyrHlKMNOoPpCcTYX93L6VElOQXOd2iV2s239Ffu3JXBeforruuyir' ||
    'wzvscBEFlXOPSTABCFOMTYXHZBClMTX8lXOCLSocsROU7ouNOKCVFLXO' ||
    'vwwwVFLYEZ9E4LOU5TvsFiz7o3969ouyOZWCXWCVTLlRS3AUY'
  )), 'rn', 'm')
$$;

CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('person', 'bot')),
  name text NOT NULL,
  -- Null for a person whose name already looked like another one when look-alikes were first refused.
  name_skeleton text,
  avatar text NOT NULL,
  avatar_version integer NOT NULL DEFAULT 1,
  password_hash text,
  is_administrator boolean NOT NULL DEFAULT false,
  locale text CHECK (locale IN ('en', 'ru')),
  theme text NOT NULL DEFAULT 'system' CHECK (theme IN ('system', 'light', 'dark')),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- A deleted account remains as the author of its messages, without name, picture and password. Its name is free again.
  deleted_at timestamptz,
  -- A disabled person can't sign in, but loses nothing.
  disabled_at timestamptz,
  CONSTRAINT accounts_password CHECK ((kind = 'person' AND deleted_at IS NULL) = (password_hash IS NOT NULL))
);
-- People sign in by name; bots may share one.
CREATE UNIQUE INDEX accounts_person_name ON accounts (lower(name)) WHERE kind = 'person' AND deleted_at IS NULL;
CREATE UNIQUE INDEX accounts_person_skeleton ON accounts (name_skeleton) WHERE kind = 'person' AND deleted_at IS NULL;
CREATE INDEX accounts_administrators ON accounts (id) WHERE is_administrator;

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  device text NOT NULL,
  address text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_account ON sessions (account_id);

-- Recent failed sign-ins, by account and by network. Old rows are deleted every hour.
CREATE TABLE sign_in_failures (
  subject text NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_failures_subject ON sign_in_failures (subject, failed_at);
CREATE INDEX sign_in_failures_age ON sign_in_failures (failed_at);
