-- Stores the secrets of this installation in one row.
create table private.installation (
  only_row boolean constraint installation_pkey primary key default true,
  -- The names of the two database roles of this installation end with this text.
  suffix text not null,
  tenant_password text not null,
  gate_password text not null,
  -- The inner and the outer key of the HMAC with which current_organization() checks a tenant context. Both are padded
  -- to the block size.
  inner_key bytea not null,
  outer_key bytea not null,
  context_key bytea not null,
  -- The key of the secrets that are stored encrypted.
  data_key bytea not null,
  constraint installation_one_row check (only_row)
);
