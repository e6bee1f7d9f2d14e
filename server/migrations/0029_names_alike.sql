-- Names that look the same are the same name: a look-alike of an administrator must not exist.

-- What a name looks like, after the skeleton of Unicode Technical Standard 39: compatibility forms are taken apart (full
-- width, mathematical, Roman numerals), look-alikes of Latin letters and digits become those letters, and case does not
-- count. The table is the part of the standard's confusables that whole words can be made of: Latin, Cyrillic (capitals
-- first), Greek, Armenian, Cherokee and Lisu. It is here and not in a library because the database compares.
CREATE FUNCTION name_skeleton(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
  SELECT replace(lower(translate(normalize(name, NFKD),
    'I|10ıɑɡǀ' ||
    'АВСЕԌНІЈКМОРЅТѴԜХУҮӀЗ' ||
    'аԁеһіјорсѕухԛѵԝгьӏү' ||
    'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧͿαγινορσυϳ' ||
    'ՕՍՏօոսհցզ' ||
    'ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ' ||
    'ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ',
    'lllOiagl' ||
    'ABCEGHlJKMOPSTVWXYYl3' ||
    'adehijopcsyxqvwrbly' ||
    'ABEZHlKMNOPTYXJayivopouj' ||
    'OUSonuhgq' ||
    'ABCDEGHJKLMPRSTVWZ' ||
    'BPDTGKJCZFMNLSRVHWXYAElOU'
  )), 'rn', 'm')
$$;

-- Null for those who had a look-alike of an older name, or of an administrator's, when this began: they keep their names.
ALTER TABLE accounts ADD COLUMN name_skeleton text;
UPDATE accounts a SET name_skeleton = s.skeleton
  FROM (
    SELECT id, name_skeleton(name) AS skeleton, row_number() OVER (
      PARTITION BY name_skeleton(name) ORDER BY is_administrator DESC, created_at, id) AS nth
    FROM accounts WHERE kind = 'person' AND deleted_at IS NULL
  ) s
  WHERE s.id = a.id AND s.nth = 1;
CREATE UNIQUE INDEX accounts_person_skeleton ON accounts (name_skeleton) WHERE kind = 'person' AND deleted_at IS NULL;
