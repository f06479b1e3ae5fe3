-- There are three schemas: public for the rows of organizations, gate for what must be found before the organization is
-- known, private for secrets and helpers that only the owner reaches.
create schema private;
create schema gate;
revoke all on schema private, gate from public;
-- Before PostgreSQL 15 everybody may create tables in public. Only the owner needs that.
revoke create on schema public from public;
