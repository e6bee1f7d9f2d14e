-- Derived from the portal's secret, one way: a start with another secret is refused (src/secret-verifier.ts).
ALTER TABLE instance ADD secret_verifier bytea;
