-- The table of look-alikes (0029), completed from Unicode's confusables.txt (13.0.0): every letter and digit, written from left to
-- right, whose prototype there is one Latin letter or digit. The soft sign and the small palochka are ours: the standard
-- takes them for letters that nobody has in a name.
CREATE OR REPLACE FUNCTION name_skeleton(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
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

-- As in 0029: whoever has a look-alike of an older name, or of an administrator's, keeps it.
DROP INDEX accounts_person_skeleton;
UPDATE accounts a SET name_skeleton = CASE WHEN s.nth = 1 THEN s.skeleton END
  FROM (
    SELECT id, name_skeleton(name) AS skeleton, row_number() OVER (
      PARTITION BY name_skeleton(name) ORDER BY is_administrator DESC, created_at, id) AS nth
    FROM accounts WHERE kind = 'person' AND deleted_at IS NULL
  ) s
  WHERE s.id = a.id;
CREATE UNIQUE INDEX accounts_person_skeleton ON accounts (name_skeleton) WHERE kind = 'person' AND deleted_at IS NULL;
