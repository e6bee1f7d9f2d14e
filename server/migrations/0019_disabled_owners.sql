-- Whether a key is accepted now depends on its owner, too: a change of that ends what the access cache holds.
DROP TRIGGER told ON accounts;
CREATE TRIGGER told AFTER DELETE OR UPDATE OF name, avatar, avatar_version, disabled_at ON accounts
  EXECUTE FUNCTION tell_of_change();
