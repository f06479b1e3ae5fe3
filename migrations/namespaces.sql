-- There are three schemas. public has the rows of organizations. gate has the rows and functions that are needed before
-- the organization is known. private has secrets and helper functions that only the owner can use.
create schema private;
create schema gate;
revoke all on schema private, gate from public;
-- Before PostgreSQL 15 everybody may create tables in public. Only the owner needs that.
revoke create on schema public from public;
