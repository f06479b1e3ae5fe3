-- The schema that the migrations make, without the bodies of functions. Generated: do not edit.
-- After a change of a migration run: npm run db:schema

create table gate.address_verifications (
  digest bytea not null,
  user_id text collate "C" not null,
  expires_at timestamp with time zone not null,
  constraint address_verifications_pkey PRIMARY KEY (digest),
  constraint address_verifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES gate.users(id) ON DELETE CASCADE
);
CREATE INDEX address_verifications_user_id_idx ON gate.address_verifications USING btree (user_id, expires_at);
CREATE INDEX address_verifications_expires_at_idx ON gate.address_verifications USING btree (expires_at);

create table gate.known_addresses (
  user_id text collate "C" not null,
  network text collate "C" not null,
  used_at timestamp with time zone not null default now(),
  constraint known_addresses_pkey PRIMARY KEY (user_id, network),
  constraint known_addresses_user_id_fkey FOREIGN KEY (user_id) REFERENCES gate.users(id) ON DELETE CASCADE
);
CREATE INDEX known_addresses_used_at_idx ON gate.known_addresses USING btree (used_at);

create table gate.sessions (
  sid text collate "C" not null,
  sess json not null,
  expire timestamp with time zone not null,
  constraint sessions_pkey PRIMARY KEY (sid)
);
CREATE INDEX sessions_expire_idx ON gate.sessions USING btree (expire);
CREATE INDEX sessions_user_id_idx ON gate.sessions USING btree (((sess #>> '{passport,user,userId}'::text[])));

create table gate.token_buckets (
  id bytea not null,
  full_at timestamp with time zone not null,
  constraint token_buckets_pkey PRIMARY KEY (id)
);
CREATE INDEX token_buckets_full_at_idx ON gate.token_buckets USING btree (full_at);

create table gate.users (
  id text collate "C" not null,
  email text not null,
  password_hash text not null,
  created_at timestamp with time zone not null default now(),
  name text,
  verified_email text,
  constraint users_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX users_email_key ON gate.users USING btree (lower(email));

create table private.audit_chains (
  organization_id text collate "C" not null,
  "position" bigint not null,
  hash bytea not null,
  anchor_position bigint not null default 0,
  anchor_hash bytea not null,
  anchor_at timestamp(3) with time zone,
  constraint audit_chains_pkey PRIMARY KEY (organization_id)
);

create table private.audit_queue (
  organization_id text collate "C" not null,
  at timestamp(3) with time zone not null,
  id bigint not null
);

create table private.audit_seals (
  organization_id text collate "C" not null,
  last_position bigint not null,
  entry_ids bigint[] not null,
  hashes bytea[] not null,
  first_at timestamp(3) with time zone not null,
  last_at timestamp(3) with time zone not null,
  sealed_at timestamp(3) with time zone not null default now(),
  constraint audit_seals_pkey PRIMARY KEY (organization_id, last_position)
);

create table private.installation (
  only_row boolean not null default true,
  suffix text not null,
  tenant_password text not null,
  gate_password text not null,
  inner_key bytea not null,
  outer_key bytea not null,
  context_key bytea not null,
  data_key bytea not null,
  constraint installation_pkey PRIMARY KEY (only_row),
  constraint installation_one_row CHECK (only_row)
);

create table private.quota_blocks (
  organization_id text collate "C" not null,
  name text collate "C" not null,
  block integer not null,
  day date not null,
  remaining bigint not null,
  constraint quota_blocks_pkey PRIMARY KEY (organization_id, name, block),
  constraint quota_blocks_remaining_check CHECK ((remaining >= 0)),
  constraint quota_blocks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);

create table private.quota_defaults (
  name text collate "C" not null,
  amount bigint,
  daily boolean not null,
  constraint quota_defaults_pkey PRIMARY KEY (name),
  constraint quota_defaults_amount_check CHECK ((amount >= 0))
);

create table private.quota_exceptions (
  organization_id text collate "C" not null,
  name text collate "C" not null,
  amount bigint not null,
  set_by text not null default 'operator'::text,
  constraint quota_exceptions_pkey PRIMARY KEY (organization_id, name),
  constraint quota_exceptions_amount_check CHECK ((amount >= 0)),
  constraint quota_exceptions_set_by_check CHECK ((set_by = ANY (ARRAY['sign_up'::text, 'verified_address'::text, 'operator'::text]))),
  constraint quota_exceptions_name_fkey FOREIGN KEY (name) REFERENCES private.quota_defaults(name),
  constraint quota_exceptions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);

create table private.quota_grants (
  organization_id text collate "C" not null,
  name text collate "C" not null,
  day date not null,
  granted bigint not null,
  constraint quota_grants_pkey PRIMARY KEY (organization_id, name),
  constraint quota_grants_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);

create table private.quota_measures (
  organization_id text collate "C" not null,
  due_at timestamp with time zone not null default now(),
  next_at timestamp with time zone not null default now(),
  active boolean not null default true,
  constraint quota_measures_pkey PRIMARY KEY (organization_id),
  constraint quota_measures_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX quota_measures_due_idx ON private.quota_measures USING btree (due_at);

create table private.quota_refusals (
  organization_id text collate "C" not null,
  name text collate "C" not null,
  amount bigint not null,
  constraint quota_refusals_pkey PRIMARY KEY (organization_id, name),
  constraint quota_refusals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);

create table private.quota_usage (
  organization_id text collate "C" not null,
  name text collate "C" not null,
  used bigint not null,
  measured_at timestamp with time zone not null default now(),
  warned boolean not null,
  constraint quota_usage_pkey PRIMARY KEY (organization_id, name),
  constraint quota_usage_name_fkey FOREIGN KEY (name) REFERENCES private.quota_defaults(name),
  constraint quota_usage_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);

create table public.api_keys (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  hash bytea not null,
  prefix text not null,
  last_four text not null,
  created_by text collate "C",
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  expires_at timestamp with time zone,
  read_only boolean not null default false,
  tools text[],
  last_used_address text,
  last_used_agent text,
  last_used_client text,
  constraint api_keys_pkey PRIMARY KEY (organization_id, id),
  constraint api_keys_tools_check CHECK (((cardinality(tools) >= 1) AND (cardinality(tools) <= 100))),
  constraint api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX api_keys_one_active ON public.api_keys USING btree (organization_id) WHERE (revoked_at IS NULL);
CREATE UNIQUE INDEX api_keys_hash_key ON public.api_keys USING btree (hash);
alter table public.api_keys enable row level security;
alter table public.api_keys force row level security;
create policy owner on public.api_keys to owner using (true) with check (true);
create policy tenant on public.api_keys to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.api_keys FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.audit_log (
  organization_id text collate "C" not null,
  id bigint not null generated always as identity,
  at timestamp(3) with time zone not null default now(),
  actor_kind text not null,
  actor_id text not null,
  action text not null,
  subject text,
  outcome text not null default 'ok'::text,
  arguments_digest bytea,
  duration_ms integer,
  address text,
  request_id text,
  client text,
  unlogged integer not null default 0,
  constraint audit_log_pkey PRIMARY KEY (organization_id, at, id)
);
alter table public.audit_log enable row level security;
alter table public.audit_log force row level security;
create policy owner on public.audit_log to owner using (true) with check (true);
create policy tenant on public.audit_log to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.call_log (
  organization_id text collate "C" not null,
  id bigint not null generated always as identity,
  at timestamp(3) with time zone not null,
  caller_kind text not null,
  caller_id text not null,
  tool text,
  outcome text not null,
  error text,
  duration_ms integer not null,
  request_id text,
  client text,
  unlogged integer not null default 0,
  constraint call_log_pkey PRIMARY KEY (organization_id, at, id),
  constraint call_log_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX call_log_at_idx ON public.call_log USING brin (at);
alter table public.call_log enable row level security;
alter table public.call_log force row level security;
create policy owner on public.call_log to owner using (true) with check (true);
create policy tenant on public.call_log to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.channel_providers (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  channel text collate "C" not null,
  name text not null,
  priority integer not null,
  per_second integer,
  sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  updated_by text collate "C",
  constraint channel_providers_pkey PRIMARY KEY (organization_id, id),
  constraint channel_providers_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(channel) <= 100) AND (octet_length(name) <= 1024) AND (octet_length(updated_by) <= 100))),
  constraint channel_providers_per_second_check CHECK (((per_second >= 1) AND (per_second <= 10000))),
  constraint channel_providers_sealed_check CHECK (((octet_length(sealed) >= 1) AND (octet_length(sealed) <= 65536))),
  constraint channel_providers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
alter table public.channel_providers enable row level security;
alter table public.channel_providers force row level security;
create policy owner on public.channel_providers to owner using (true) with check (true);
create policy tenant on public.channel_providers to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.channel_providers FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.confirmations (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  api_key_id text collate "C" not null,
  tool text collate "C" not null,
  arguments json not null,
  digest bytea not null,
  state text not null default 'pending'::text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  answered_by text collate "C",
  constraint confirmations_pkey PRIMARY KEY (organization_id, id),
  constraint confirmations_answer_check CHECK ((((state = 'pending'::text) = (answered_by IS NULL)) AND ((answered_by IS NULL) = (answered_at IS NULL)))),
  constraint confirmations_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(api_key_id) <= 100) AND (octet_length(tool) <= 100) AND (octet_length(digest) <= 100) AND (octet_length(answered_by) <= 100) AND ((pg_column_size(arguments) <= 4096) OR (octet_length((arguments)::text) <= 1048576)))),
  constraint confirmations_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'declined'::text, 'used'::text, 'failed'::text]))),
  constraint confirmations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX confirmations_call_idx ON public.confirmations USING btree (organization_id, api_key_id, tool, digest, created_at);
CREATE INDEX confirmations_created_at_idx ON public.confirmations USING btree (organization_id, created_at);
CREATE INDEX confirmations_expires_at_idx ON public.confirmations USING btree (expires_at);
alter table public.confirmations enable row level security;
alter table public.confirmations force row level security;
create policy owner on public.confirmations to owner using (true) with check (true);
create policy tenant on public.confirmations to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.confirmations FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.consent_changes (
  organization_id text collate "C" not null,
  contact_id text collate "C" not null,
  id bigint not null generated always as identity,
  recorded_for text collate "C" not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  from_state text collate "C",
  to_state text collate "C",
  source text collate "C" not null,
  evidence jsonb,
  at timestamp(3) with time zone not null default now(),
  constraint consent_changes_pkey PRIMARY KEY (organization_id, contact_id, id),
  constraint consent_changes_evidence_check CHECK ((octet_length((evidence)::text) <= 1048576)),
  constraint consent_changes_kind_check CHECK ((kind = ANY (ARRAY['channel'::text, 'topic'::text]))),
  constraint consent_changes_size_check CHECK (((octet_length(name) <= 1024) AND (octet_length(from_state) <= 1024) AND (octet_length(to_state) <= 1024) AND (octet_length(source) <= 1024))),
  constraint consent_changes_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES public.contacts(organization_id, id) ON DELETE CASCADE
);
alter table public.consent_changes enable row level security;
alter table public.consent_changes force row level security;
create policy owner on public.consent_changes to owner using (true) with check (true);
create policy tenant on public.consent_changes to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.contact_aliases (
  organization_id text collate "C" not null,
  kind text collate "C" not null,
  value text collate "C" not null,
  contact_id text collate "C" not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint contact_aliases_pkey PRIMARY KEY (organization_id, kind, value),
  constraint contact_aliases_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'phone'::text, 'external_id'::text]))),
  constraint contact_aliases_value_check CHECK (((length(value) >= 1) AND (length(value) <= 255))),
  constraint contact_aliases_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES public.contacts(organization_id, id) ON DELETE CASCADE,
  constraint contact_aliases_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX contact_aliases_contact_id_idx ON public.contact_aliases USING btree (organization_id, contact_id);
alter table public.contact_aliases enable row level security;
alter table public.contact_aliases force row level security;
create policy owner on public.contact_aliases to owner using (true) with check (true);
create policy tenant on public.contact_aliases to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER claim_alias BEFORE INSERT ON public.contact_aliases FOR EACH ROW EXECUTE FUNCTION private.claim_alias();
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.contact_aliases FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.contact_merges (
  organization_id text collate "C" not null,
  merged_id text collate "C" not null,
  into_id text collate "C" not null,
  survivor_id text collate "C" not null,
  merged_at timestamp(3) with time zone not null default now(),
  undo json,
  moved jsonb,
  constraint contact_merges_pkey PRIMARY KEY (organization_id, merged_id),
  constraint contact_merges_bytes_check CHECK (((octet_length(merged_id) <= 100) AND (octet_length(survivor_id) <= 100) AND (octet_length((moved)::text) <= 67108864))),
  constraint contact_merges_record_check CHECK (((octet_length(into_id) <= 100) AND (octet_length((undo)::text) <= 67108864))),
  constraint contact_merges_undo_check CHECK (((undo IS NULL) = (moved IS NULL))),
  constraint contact_merges_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint contact_merges_survivor_id_fkey FOREIGN KEY (organization_id, survivor_id) REFERENCES public.contacts(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_merges_survivor_id_idx ON public.contact_merges USING btree (organization_id, survivor_id);
CREATE INDEX contact_merges_undo_idx ON public.contact_merges USING btree (merged_at) WHERE (undo IS NOT NULL);
alter table public.contact_merges enable row level security;
alter table public.contact_merges force row level security;
create policy owner on public.contact_merges to owner using (true) with check (true);
create policy tenant on public.contact_merges to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.contact_merges FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER move_permission BEFORE INSERT ON public.contact_merges FOR EACH ROW EXECUTE FUNCTION private.move_permission();
CREATE TRIGGER return_permission AFTER DELETE ON public.contact_merges FOR EACH ROW WHEN ((old.moved IS NOT NULL)) EXECUTE FUNCTION private.return_permission();

create table public.contact_properties (
  organization_id text collate "C" not null,
  name text collate "C" not null,
  type text collate "C" not null,
  options text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint contact_properties_pkey PRIMARY KEY (organization_id, name),
  constraint contact_properties_bytes_check CHECK ((octet_length((options)::text) <= 1048576)),
  constraint contact_properties_name_check CHECK ((name ~ '^[A-Za-z][A-Za-z0-9_]{0,63}$'::text)),
  constraint contact_properties_options_check CHECK (((type = 'enum'::text) = (cardinality(options) > 0))),
  constraint contact_properties_type_check CHECK ((type = ANY (ARRAY['text'::text, 'number'::text, 'boolean'::text, 'date'::text, 'enum'::text, 'list'::text]))),
  constraint contact_properties_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
alter table public.contact_properties enable row level security;
alter table public.contact_properties force row level security;
create policy owner on public.contact_properties to owner using (true) with check (true);
create policy tenant on public.contact_properties to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.contact_properties FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.contact_settings (
  organization_id text collate "C" not null,
  region text collate "C",
  strict_properties boolean not null default false,
  default_locale text,
  sms_help text,
  constraint contact_settings_pkey PRIMARY KEY (organization_id),
  constraint contact_settings_bytes_check CHECK (((octet_length(default_locale) <= 100) AND (octet_length(sms_help) <= 16384))),
  constraint contact_settings_region_check CHECK ((region ~ '^[A-Z]{2}$'::text)),
  constraint contact_settings_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
alter table public.contact_settings enable row level security;
alter table public.contact_settings force row level security;
create policy owner on public.contact_settings to owner using (true) with check (true);
create policy tenant on public.contact_settings to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.contact_settings FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.contacts (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  external_id text,
  email text collate "C",
  phone text collate "C",
  first_name text,
  last_name text,
  locale text,
  timezone text,
  tags text[] not null default '{}'::text[],
  properties jsonb not null default '{}'::jsonb,
  consent jsonb not null default '{}'::jsonb,
  search_text text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint contacts_pkey PRIMARY KEY (organization_id, id),
  constraint contacts_organization_id_email_key UNIQUE (organization_id, email),
  constraint contacts_organization_id_external_id_key UNIQUE (organization_id, external_id),
  constraint contacts_organization_id_phone_key UNIQUE (organization_id, phone),
  constraint contacts_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(external_id) <= 1100) AND (octet_length(email) <= 1100) AND (octet_length(phone) <= 100) AND (octet_length(first_name) <= 65536) AND (octet_length(last_name) <= 65536) AND (octet_length(locale) <= 1024) AND (octet_length(timezone) <= 1024) AND (octet_length(search_text) <= 8388608) AND (octet_length((tags)::text) <= 4194304) AND (octet_length((properties)::text) <= 8388608) AND (octet_length((consent)::text) <= 4194304))),
  constraint contacts_identifier_check CHECK ((num_nonnulls(external_id, email, phone) > 0)),
  constraint contacts_search_text_check CHECK ((octet_length(search_text) <= 131072)),
  constraint contacts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX contacts_organization_id_created_at_idx ON public.contacts USING btree (organization_id, created_at, id);
CREATE INDEX contacts_organization_id_updated_at_idx ON public.contacts USING btree (organization_id, updated_at, id);
CREATE INDEX contacts_search_text_idx ON public.contacts USING gin (private.contact_search_keys(organization_id, search_text, 1)) WITH (gin_pending_list_limit='256');
CREATE INDEX contacts_filter_idx ON public.contacts USING gin (private.contact_filter_keys(organization_id, tags, properties)) WITH (gin_pending_list_limit='256');
alter table public.contacts enable row level security;
alter table public.contacts force row level security;
create policy owner on public.contacts to owner using (true) with check (true);
create policy tenant on public.contacts to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER claim_changed_addresses BEFORE UPDATE ON public.contacts FOR EACH ROW WHEN (((new.email IS DISTINCT FROM old.email) OR (new.phone IS DISTINCT FROM old.phone) OR (new.external_id IS DISTINCT FROM old.external_id))) EXECUTE FUNCTION private.claim_contact_addresses();
CREATE TRIGGER claim_new_addresses BEFORE INSERT ON public.contacts FOR EACH ROW WHEN ((num_nonnulls(new.email, new.phone, new.external_id) > 0)) EXECUTE FUNCTION private.claim_contact_addresses();
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.contacts FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER log_changed_consent AFTER UPDATE ON public.contacts FOR EACH ROW WHEN ((old.consent <> new.consent)) EXECUTE FUNCTION private.log_consent();
CREATE TRIGGER log_new_consents AFTER INSERT ON public.contacts REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION private.log_new_consents();
CREATE TRIGGER quota_refusal AFTER INSERT ON public.contacts REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_insert('contacts', 'stored_bytes');
CREATE TRIGGER segment_insert AFTER INSERT ON public.contacts REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION private.mark_segment_changes();
CREATE TRIGGER segment_update AFTER UPDATE ON public.contacts REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION private.mark_segment_changes();

create table public.custom_events (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  emitted_at timestamp(3) with time zone not null default now(),
  contact_id text collate "C",
  run_id text collate "C",
  data_bytes integer not null,
  data_preview text not null,
  started_runs integer not null,
  continued_runs integer not null default 0,
  constraint custom_events_pkey PRIMARY KEY (organization_id, id),
  constraint custom_events_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(name) <= 1024) AND (octet_length(contact_id) <= 100) AND (octet_length(run_id) <= 100) AND (octet_length(data_preview) <= 65536))),
  constraint custom_events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX custom_events_newest_idx ON public.custom_events USING btree (organization_id, emitted_at, id);
alter table public.custom_events enable row level security;
alter table public.custom_events force row level security;
create policy owner on public.custom_events to owner using (true) with check (true);
create policy tenant on public.custom_events to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.custom_events FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.event_interests (
  organization_id text collate "C" not null,
  event text collate "C" not null,
  workflow_id text collate "C" not null,
  constraint event_interests_pkey PRIMARY KEY (organization_id, event, workflow_id),
  constraint event_interests_bytes_check CHECK ((octet_length(event) <= 200)),
  constraint event_interests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint event_interests_workflow_id_fkey FOREIGN KEY (organization_id, workflow_id) REFERENCES public.workflows(organization_id, id) ON DELETE CASCADE
);
alter table public.event_interests enable row level security;
alter table public.event_interests force row level security;
create policy owner on public.event_interests to owner using (true) with check (true);
create policy tenant on public.event_interests to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.file_chunks (
  organization_id text collate "C" not null,
  file_id text collate "C" not null,
  "position" integer not null,
  bytes bytea not null,
  constraint file_chunks_pkey PRIMARY KEY (organization_id, file_id, "position"),
  constraint file_chunks_bytes_check CHECK (((octet_length(bytes) >= 1) AND (octet_length(bytes) <= 1048576))),
  constraint file_chunks_file_id_fkey FOREIGN KEY (organization_id, file_id) REFERENCES public.files(organization_id, id) ON DELETE CASCADE
);
alter table public.file_chunks enable row level security;
alter table public.file_chunks force row level security;
create policy owner on public.file_chunks to owner using (true) with check (true);
create policy tenant on public.file_chunks to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER quota_refusal AFTER INSERT ON public.file_chunks REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_insert('stored_bytes');

create table public.files (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  run_id text collate "C",
  name text not null,
  content_type text not null,
  size integer not null,
  sha256 bytea not null,
  created_at timestamp with time zone not null default now(),
  is_uploading boolean not null default false,
  constraint files_pkey PRIMARY KEY (organization_id, id),
  constraint files_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(run_id) <= 100) AND (octet_length(name) <= 4096) AND (octet_length(content_type) <= 4096) AND (octet_length(sha256) <= 100))),
  constraint files_size_check CHECK (((size >= 0) AND (size <= 10485760))),
  constraint files_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint files_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES public.workflow_runs(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX files_run_id_idx ON public.files USING btree (organization_id, run_id);
CREATE INDEX files_uploads_idx ON public.files USING btree (created_at) WHERE (run_id IS NULL);
alter table public.files enable row level security;
alter table public.files force row level security;
create policy owner on public.files to owner using (true) with check (true);
create policy tenant on public.files to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.files FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER quota_refusal AFTER INSERT ON public.files REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_insert('stored_bytes');

create table public.idempotency_keys (
  organization_id text collate "C" not null,
  tool text not null,
  key text collate "C" not null,
  fingerprint bytea not null,
  result json,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (organization_id, tool, key),
  constraint idempotency_keys_bytes_check CHECK (((octet_length(tool) <= 100) AND (octet_length(key) <= 1100) AND (octet_length(fingerprint) <= 100) AND ((pg_column_size(result) <= 262144) OR (octet_length((result)::text) <= 67108864)))),
  constraint idempotency_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_created_at_idx ON public.idempotency_keys USING btree (created_at);
alter table public.idempotency_keys enable row level security;
alter table public.idempotency_keys force row level security;
create policy owner on public.idempotency_keys to owner using (true) with check (true);
create policy tenant on public.idempotency_keys to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER quota_refusal AFTER INSERT ON public.idempotency_keys REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_insert('stored_bytes');

create table public.import_chunks (
  organization_id text collate "C" not null,
  import_id text collate "C" not null,
  "position" integer not null,
  first_row integer not null,
  bytes bytea not null,
  constraint import_chunks_pkey PRIMARY KEY (organization_id, import_id, "position"),
  constraint import_chunks_bytes_check CHECK (((octet_length(bytes) >= 1) AND (octet_length(bytes) <= 1048576))),
  constraint import_chunks_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES public.imports(organization_id, id) ON DELETE CASCADE
);
alter table public.import_chunks enable row level security;
alter table public.import_chunks force row level security;
create policy owner on public.import_chunks to owner using (true) with check (true);
create policy tenant on public.import_chunks to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER quota_refusal AFTER INSERT ON public.import_chunks REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_insert('stored_bytes');

create table public.import_faults (
  organization_id text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  "row" integer not null,
  cells text not null,
  reasons text not null,
  constraint import_faults_pkey PRIMARY KEY (organization_id, import_id, generation, "row"),
  constraint import_faults_texts_check CHECK ((((COALESCE(octet_length(import_id), 0) + COALESCE(octet_length(cells), 0)) + COALESCE(octet_length(reasons), 0)) <= 2097152)),
  constraint import_faults_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES public.imports(organization_id, id) ON DELETE CASCADE
);
alter table public.import_faults enable row level security;
alter table public.import_faults force row level security;
create policy owner on public.import_faults to owner using (true) with check (true);
create policy tenant on public.import_faults to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER quota_refusal AFTER INSERT ON public.import_faults REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_insert('stored_bytes');

create table public.import_keys (
  organization_id text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  key uuid not null,
  "row" integer not null,
  constraint import_keys_pkey PRIMARY KEY (organization_id, import_id, generation, key),
  constraint import_keys_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES public.imports(organization_id, id) ON DELETE CASCADE
);
alter table public.import_keys enable row level security;
alter table public.import_keys force row level security;
create policy owner on public.import_keys to owner using (true) with check (true);
create policy tenant on public.import_keys to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER quota_refusal AFTER INSERT ON public.import_keys REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_insert('stored_bytes');

create table public.imports (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  status text not null default 'uploading'::text,
  encoding text not null,
  delimiter text not null,
  columns json not null,
  preview json not null default '[]'::json,
  size bigint not null default 0,
  rows integer not null default 0,
  chunks integer not null default 0,
  options json,
  generation integer not null default 0,
  next_chunk integer not null default 0,
  processed integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  skipped integer not null default 0,
  duplicate integer not null default 0,
  failed integer not null default 0,
  error text,
  attempts integer not null default 0,
  epoch integer not null default 0,
  lease_until timestamp with time zone,
  created_at timestamp(3) with time zone not null default now(),
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  constraint imports_pkey PRIMARY KEY (organization_id, id),
  constraint imports_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(name) <= 4096) AND (octet_length(encoding) <= 100) AND (octet_length(delimiter) <= 100) AND (octet_length(error) <= 65536))),
  constraint imports_columns_check CHECK (((octet_length((columns)::text) <= 262144) AND
CASE
    WHEN (json_typeof(columns) = 'array'::text) THEN (json_array_length(columns) <= 500)
    ELSE false
END)),
  constraint imports_size_check CHECK ((((columns IS NULL) OR (pg_column_size(columns) <= 32768) OR (octet_length((columns)::text) <= 8388608)) AND ((preview IS NULL) OR (pg_column_size(preview) <= 32768) OR (octet_length((preview)::text) <= 8388608)) AND ((options IS NULL) OR (pg_column_size(options) <= 4096) OR (octet_length((options)::text) <= 1048576)))),
  constraint imports_status_check CHECK ((status = ANY (ARRAY['uploading'::text, 'uploaded'::text, 'running'::text, 'checked'::text, 'completed'::text, 'failed'::text, 'canceled'::text]))),
  constraint imports_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX imports_newest_idx ON public.imports USING btree (organization_id, created_at, id);
CREATE UNIQUE INDEX imports_id_key ON public.imports USING btree (id);
CREATE INDEX imports_turns_idx ON public.imports USING btree (organization_id, started_at, id) WHERE (status = 'running'::text);
alter table public.imports enable row level security;
alter table public.imports force row level security;
create policy owner on public.imports to owner using (true) with check (true);
create policy tenant on public.imports to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.imports FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER quota_refusal AFTER INSERT ON public.imports REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_insert('stored_bytes');

create table public.memberships (
  organization_id text collate "C" not null,
  user_id text collate "C" not null,
  role text not null,
  created_at timestamp with time zone not null default now(),
  constraint memberships_pkey PRIMARY KEY (organization_id, user_id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text]))),
  constraint memberships_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES gate.users(id) ON DELETE CASCADE
);
CREATE INDEX memberships_user_id_idx ON public.memberships USING btree (user_id);
alter table public.memberships enable row level security;
alter table public.memberships force row level security;
create policy owner on public.memberships to owner using (true) with check (true);
create policy tenant on public.memberships to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.memberships FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.message_digests (
  organization_id text collate "C" not null,
  message_id text collate "C" not null,
  subject text,
  body text,
  html text,
  variables jsonb not null,
  items jsonb not null,
  max_items integer not null,
  constraint message_digests_pkey PRIMARY KEY (organization_id, message_id),
  constraint message_digests_bytes_check CHECK (((octet_length((variables)::text) <= 16777216) AND (octet_length((items)::text) <= 67108864))),
  constraint message_digests_content_check CHECK (((octet_length(subject) <= 2097152) AND (octet_length(body) <= 2097152) AND (octet_length(html) <= 2097152))),
  constraint message_digests_message_id_fkey FOREIGN KEY (organization_id, message_id) REFERENCES public.messages(organization_id, id) ON DELETE CASCADE
);
alter table public.message_digests enable row level security;
alter table public.message_digests force row level security;
create policy owner on public.message_digests to owner using (true) with check (true);
create policy tenant on public.message_digests to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.message_digests FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.message_events (
  organization_id text collate "C" not null,
  message_id text collate "C" not null,
  id bigint not null generated always as identity,
  at timestamp(3) with time zone not null default now(),
  status text not null,
  reason text,
  attempts integer not null,
  constraint message_events_pkey PRIMARY KEY (organization_id, message_id, id),
  constraint message_events_message_id_fkey FOREIGN KEY (organization_id, message_id) REFERENCES public.messages(organization_id, id) ON DELETE CASCADE
);
alter table public.message_events enable row level security;
alter table public.message_events force row level security;
create policy owner on public.message_events to owner using (true) with check (true);
create policy tenant on public.message_events to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.message_files (
  organization_id text collate "C" not null,
  message_id text collate "C" not null,
  file_id text collate "C" not null,
  constraint message_files_pkey PRIMARY KEY (organization_id, message_id, file_id),
  constraint message_files_file_id_fkey FOREIGN KEY (organization_id, file_id) REFERENCES public.files(organization_id, id),
  constraint message_files_message_id_fkey FOREIGN KEY (organization_id, message_id) REFERENCES public.messages(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX message_files_file_id_idx ON public.message_files USING btree (organization_id, file_id);
alter table public.message_files enable row level security;
alter table public.message_files force row level security;
create policy owner on public.message_files to owner using (true) with check (true);
create policy tenant on public.message_files to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.messages (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  contact_id text collate "C",
  channel text not null,
  direction text not null,
  recipient text,
  subject text,
  body text not null,
  html text,
  envelope json,
  has_html boolean not null default (html IS NOT NULL),
  topic text collate "C",
  status text not null,
  status_reason text,
  reason_code text,
  idempotency_key text,
  external_id text collate "C",
  provider_id text collate "C",
  provider_message_id text collate "C",
  on_uncertain text,
  run_id text collate "C",
  template_id text collate "C",
  template_version integer,
  locale text,
  attempts integer not null default 0,
  epoch integer not null default 0,
  scheduled_at timestamp(3) with time zone,
  due_at timestamp with time zone not null default now(),
  slot_at timestamp with time zone,
  held_by text collate "C",
  counted_at timestamp with time zone,
  lease_until timestamp with time zone,
  sent_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint messages_pkey PRIMARY KEY (organization_id, id),
  constraint messages_bytes_check CHECK (((octet_length(channel) <= 100) AND (octet_length(external_id) <= 2400) AND (octet_length(held_by) <= 1100) AND (octet_length(provider_message_id) <= 1100) AND (octet_length(run_id) <= 100))),
  constraint messages_content_check CHECK (((octet_length(subject) <= 16384) AND (octet_length(body) <= 2097152) AND (octet_length(html) <= 2097152))),
  constraint messages_direction_check CHECK (((direction = 'inbound'::text) = (status = 'received'::text))),
  constraint messages_id_check CHECK ((id ~ '^[A-Za-z0-9_-]{1,100}$'::text)),
  constraint messages_on_uncertain_check CHECK ((on_uncertain = ANY (ARRAY['resend'::text, 'hold'::text]))),
  constraint messages_size_check CHECK (((envelope IS NULL) OR (pg_column_size(envelope) <= 4096) OR (octet_length((envelope)::text) <= 1048576))),
  constraint messages_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'queued'::text, 'held'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'canceled'::text, 'delivered'::text, 'received'::text, 'uncertain'::text, 'suppressed'::text]))),
  constraint messages_texts_check CHECK (((((((((((((((((COALESCE(octet_length(id), 0) + COALESCE(octet_length(contact_id), 0)) + COALESCE(octet_length(channel), 0)) + COALESCE(octet_length(direction), 0)) + COALESCE(octet_length(recipient), 0)) + COALESCE(octet_length(topic), 0)) + COALESCE(octet_length(status_reason), 0)) + COALESCE(octet_length(reason_code), 0)) + COALESCE(octet_length(idempotency_key), 0)) + COALESCE(octet_length(external_id), 0)) + COALESCE(octet_length(provider_id), 0)) + COALESCE(octet_length(provider_message_id), 0)) + COALESCE(octet_length(run_id), 0)) + COALESCE(octet_length(template_id), 0)) + COALESCE(octet_length(locale), 0)) + COALESCE(octet_length(held_by), 0)) <= 1048576)),
  constraint messages_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES public.contacts(organization_id, id) ON DELETE SET NULL (contact_id),
  constraint messages_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX messages_organization_id_created_at_idx ON public.messages USING btree (organization_id, created_at, id);
CREATE INDEX messages_organization_id_contact_id_idx ON public.messages USING btree (organization_id, contact_id, created_at, id);
CREATE INDEX messages_organization_id_run_id_idx ON public.messages USING btree (organization_id, run_id, created_at, id);
CREATE INDEX messages_due_idx ON public.messages USING btree (organization_id, due_at) WHERE (status = ANY (ARRAY['scheduled'::text, 'queued'::text, 'held'::text, 'sending'::text]));
CREATE UNIQUE INDEX messages_external_id_key ON public.messages USING btree (organization_id, channel, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX messages_provider_message_id_idx ON public.messages USING btree (organization_id, provider_message_id) WHERE (provider_message_id IS NOT NULL);
CREATE INDEX messages_counted_at_idx ON public.messages USING btree (organization_id, contact_id, channel, counted_at) WHERE (counted_at IS NOT NULL);
CREATE INDEX messages_held_idx ON public.messages USING btree (organization_id, contact_id, held_by) WHERE (status = 'held'::text);
CREATE INDEX messages_undelivered_idx ON public.messages USING btree (organization_id, status, created_at, id) WHERE (status = ANY (ARRAY['failed'::text, 'canceled'::text, 'suppressed'::text]));
CREATE UNIQUE INDEX messages_id_key ON public.messages USING btree (id);
CREATE INDEX messages_ended_idx ON public.messages USING btree (organization_id, num_nonnulls(counted_at), updated_at) WHERE (status <> ALL (ARRAY['scheduled'::text, 'queued'::text, 'held'::text, 'sending'::text, 'uncertain'::text]));
alter table public.messages enable row level security;
alter table public.messages force row level security;
create policy owner on public.messages to owner using (true) with check (true);
create policy tenant on public.messages to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.messages FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER keep_end BEFORE UPDATE OF status ON public.messages FOR EACH ROW WHEN (((old.status = ANY (ARRAY['sent'::text, 'delivered'::text, 'failed'::text, 'canceled'::text, 'suppressed'::text, 'received'::text])) AND (new.status = ANY (ARRAY['scheduled'::text, 'queued'::text, 'held'::text, 'sending'::text, 'uncertain'::text])))) EXECUTE FUNCTION private.keep_message();
CREATE TRIGGER keep_text BEFORE UPDATE OF subject, body, html ON public.messages FOR EACH ROW WHEN (((old.status <> 'held'::text) OR (old.reason_code IS DISTINCT FROM 'digest'::text))) EXECUTE FUNCTION private.keep_message();
CREATE TRIGGER link_message_files AFTER INSERT ON public.messages FOR EACH ROW WHEN ((new.envelope IS NOT NULL)) EXECUTE FUNCTION private.link_message_files();
CREATE TRIGGER quota_insert AFTER INSERT ON public.messages REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.count_insert('messages', 'daily');
CREATE TRIGGER record_changed_message AFTER UPDATE ON public.messages FOR EACH ROW WHEN ((old.status <> new.status)) EXECUTE FUNCTION private.record_message_event();
CREATE TRIGGER record_new_message AFTER INSERT ON public.messages FOR EACH ROW EXECUTE FUNCTION private.record_message_event();

create table public.offered_workflows (
  organization_id text collate "C" not null,
  workflow_id text collate "C" not null,
  name text collate "C" not null,
  title text not null,
  description text not null,
  input_schema json not null,
  wait_seconds integer not null,
  result json,
  revision text not null,
  updated_at timestamp with time zone not null default now(),
  constraint offered_workflows_pkey PRIMARY KEY (organization_id, workflow_id),
  constraint offered_workflows_name_key UNIQUE (organization_id, name),
  constraint offered_workflows_name_check CHECK ((name ~ '^[a-z][a-z0-9_]{0,63}$'::text)),
  constraint offered_workflows_size_check CHECK (((char_length(title) <= 100) AND (char_length(description) <= 1000) AND (char_length(revision) <= 64) AND (octet_length((input_schema)::text) <= 16384) AND (octet_length((result)::text) <= 16384))),
  constraint offered_workflows_wait_check CHECK (((wait_seconds >= 0) AND (wait_seconds <= 25))),
  constraint offered_workflows_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint offered_workflows_workflow_id_fkey FOREIGN KEY (organization_id, workflow_id) REFERENCES public.workflows(organization_id, id) ON DELETE CASCADE
);
alter table public.offered_workflows enable row level security;
alter table public.offered_workflows force row level security;
create policy owner on public.offered_workflows to owner using (true) with check (true);
create policy tenant on public.offered_workflows to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.offered_workflows FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER row_limit AFTER INSERT ON public.offered_workflows REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.limit_rows('20');

create table public.organizations (
  id text collate "C" not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  constraint organizations_pkey PRIMARY KEY (id)
);
alter table public.organizations enable row level security;
alter table public.organizations force row level security;
create policy owner on public.organizations to owner using (true) with check (true);
create policy tenant on public.organizations to public using ((id = ( SELECT public.current_organization() AS current_organization))) with check ((id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.organizations FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER quota_measure AFTER INSERT ON public.organizations FOR EACH ROW EXECUTE FUNCTION private.plan_measure();

create table public.parked_runs (
  organization_id text collate "C" not null,
  run_id text collate "C" not null,
  constraint parked_runs_pkey PRIMARY KEY (organization_id, run_id),
  constraint parked_runs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint parked_runs_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES public.workflow_runs(organization_id, id) ON DELETE CASCADE
);
alter table public.parked_runs enable row level security;
alter table public.parked_runs force row level security;
create policy owner on public.parked_runs to owner using (true) with check (true);
create policy tenant on public.parked_runs to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.pending_events (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  contact_id text collate "C",
  payload json not null,
  xid text not null,
  happened_at timestamp with time zone not null,
  after_run_id text collate "C" not null default ''::text,
  after_step_id text collate "C" not null default ''::text,
  available_at timestamp with time zone not null default now(),
  epoch integer not null default 0,
  failures integer not null default 0,
  constraint pending_events_pkey PRIMARY KEY (organization_id, id),
  constraint pending_events_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(name) <= 200) AND (octet_length(contact_id) <= 200))),
  constraint pending_events_size_check CHECK (((payload IS NULL) OR (pg_column_size(payload) <= 16384) OR (octet_length((payload)::text) <= 4194304))),
  constraint pending_events_texts_check CHECK ((((((COALESCE(octet_length(id), 0) + COALESCE(octet_length(name), 0)) + COALESCE(octet_length(contact_id), 0)) + COALESCE(octet_length(after_run_id), 0)) + COALESCE(octet_length(after_step_id), 0)) <= 65536)),
  constraint pending_events_xid_check CHECK ((xid ~ '^(0|[1-9][0-9]{0,18})$'::text)),
  constraint pending_events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX pending_events_due_idx ON public.pending_events USING btree (available_at);
CREATE INDEX pending_events_turns_idx ON public.pending_events USING btree (organization_id, available_at);
CREATE UNIQUE INDEX pending_events_id_key ON public.pending_events USING btree (id);
CREATE INDEX pending_events_awaited_idx ON public.pending_events USING btree (organization_id, name, contact_id, happened_at) WHERE ((octet_length(name) <= 200) AND (COALESCE(octet_length(contact_id), 0) <= 200));
alter table public.pending_events enable row level security;
alter table public.pending_events force row level security;
create policy owner on public.pending_events to owner using (true) with check (true);
create policy tenant on public.pending_events to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.retention_rules (
  organization_id text collate "C" not null,
  kind text not null,
  days integer not null,
  available_at timestamp with time zone not null default now(),
  epoch integer not null default 0,
  constraint retention_rules_pkey PRIMARY KEY (organization_id, kind),
  constraint retention_rules_audit_log_check CHECK (((kind <> 'audit_log'::text) OR (days >= 90))),
  constraint retention_rules_days_check CHECK (((days >= 7) AND (days <= 3650))),
  constraint retention_rules_kind_check CHECK ((kind = ANY (ARRAY['runs'::text, 'messages'::text, 'webhook_deliveries'::text, 'audit_log'::text]))),
  constraint retention_rules_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX retention_rules_due_idx ON public.retention_rules USING btree (available_at);
alter table public.retention_rules enable row level security;
alter table public.retention_rules force row level security;
create policy owner on public.retention_rules to owner using (true) with check (true);
create policy tenant on public.retention_rules to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.retention_rules FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER protect_audit_rule BEFORE INSERT OR DELETE OR UPDATE ON public.retention_rules FOR EACH ROW EXECUTE FUNCTION private.protect_audit_rule();

create table public.run_steps (
  organization_id text collate "C" not null,
  run_id text collate "C" not null,
  step_id text collate "C" not null,
  "position" integer not null,
  tool text,
  status text not null,
  attempts integer not null,
  failed_attempts json,
  input json,
  output json,
  error json,
  progress json,
  wake_at timestamp with time zone,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  cut json,
  constraint run_steps_pkey PRIMARY KEY (organization_id, run_id, step_id),
  constraint run_steps_size_check CHECK ((((input IS NULL) OR (pg_column_size(input) <= 32768) OR (octet_length((input)::text) <= 8388608)) AND ((output IS NULL) OR (pg_column_size(output) <= 32768) OR (octet_length((output)::text) <= 8388608)) AND ((error IS NULL) OR (pg_column_size(error) <= 32768) OR (octet_length((error)::text) <= 8388608)) AND ((failed_attempts IS NULL) OR (pg_column_size(failed_attempts) <= 32768) OR (octet_length((failed_attempts)::text) <= 8388608)) AND ((progress IS NULL) OR (pg_column_size(progress) <= 32768) OR (octet_length((progress)::text) <= 8388608)) AND ((cut IS NULL) OR (pg_column_size(cut) <= 32768) OR (octet_length((cut)::text) <= 8388608)))),
  constraint run_steps_status_check CHECK ((status = ANY (ARRAY['running'::text, 'waiting'::text, 'succeeded'::text, 'failed'::text, 'skipped'::text]))),
  constraint run_steps_step_id_check CHECK ((octet_length(step_id) <= 1024)),
  constraint run_steps_texts_check CHECK ((((COALESCE(octet_length(run_id), 0) + COALESCE(octet_length(step_id), 0)) + COALESCE(octet_length(tool), 0)) <= 16384)),
  constraint run_steps_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES public.workflow_runs(organization_id, id) ON DELETE CASCADE
);
alter table public.run_steps enable row level security;
alter table public.run_steps force row level security;
create policy owner on public.run_steps to owner using (true) with check (true);
create policy tenant on public.run_steps to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.run_steps FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.run_waits (
  organization_id text collate "C" not null,
  run_id text collate "C" not null,
  step_id text collate "C" not null,
  event text collate "C" not null,
  state text not null,
  contact_id text collate "C" not null default ''::text,
  condition text,
  bindings json,
  child_run_id text collate "C",
  cancels_child boolean not null default false,
  payload json,
  error text,
  armed_at timestamp with time zone,
  armed_xid text,
  armed_snapshot text,
  ends_at timestamp with time zone,
  is_swept boolean not null default false,
  constraint run_waits_pkey PRIMARY KEY (organization_id, run_id, step_id),
  constraint run_waits_armed_snapshot_check CHECK ((pg_snapshot_xmin((armed_snapshot)::pg_snapshot) <= pg_snapshot_xmax((armed_snapshot)::pg_snapshot))),
  constraint run_waits_bytes_check CHECK (((octet_length(step_id) <= 1024) AND (octet_length(event) <= 200) AND (octet_length(contact_id) <= 100) AND (octet_length(child_run_id) <= 100) AND (octet_length(condition) <= 1048576) AND (octet_length(error) <= 1048576) AND (octet_length(armed_xid) <= 100) AND (octet_length(armed_snapshot) <= 1048576))),
  constraint run_waits_snapshot_size_check CHECK ((octet_length(armed_snapshot) <= 16384)),
  constraint run_waits_state_check CHECK ((state = ANY (ARRAY['armed'::text, 'delivered'::text, 'consumed'::text, 'closed'::text]))),
  constraint run_waits_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint run_waits_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES public.workflow_runs(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX run_waits_armed_idx ON public.run_waits USING btree (organization_id, event, contact_id, run_id, step_id) WHERE (state = 'armed'::text);
CREATE INDEX run_waits_delivered_idx ON public.run_waits USING btree (organization_id, run_id, step_id) WHERE ((state = 'delivered'::text) AND (NOT is_swept));
CREATE INDEX run_waits_child_idx ON public.run_waits USING btree (organization_id, child_run_id, state) WHERE (child_run_id IS NOT NULL);
alter table public.run_waits enable row level security;
alter table public.run_waits force row level security;
create policy owner on public.run_waits to owner using (true) with check (true);
create policy tenant on public.run_waits to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER bound_values BEFORE INSERT OR UPDATE OF payload, bindings ON public.run_waits FOR EACH ROW WHEN (((pg_column_size(new.payload) > 16384) OR (pg_column_size(new.bindings) > 16384))) EXECUTE FUNCTION private.bound_values('payload', '4194304', 'bindings', '4194304');

create table public.secrets (
  organization_id text collate "C" not null,
  name text collate "C" not null,
  sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  updated_by text collate "C",
  constraint secrets_pkey PRIMARY KEY (organization_id, name),
  constraint secrets_bytes_check CHECK ((octet_length(updated_by) <= 100)),
  constraint secrets_name_check CHECK ((name ~ '^[a-z][a-z0-9_]{0,63}$'::text)),
  constraint secrets_sealed_check CHECK (((octet_length(sealed) >= 1) AND (octet_length(sealed) <= 65536))),
  constraint secrets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
alter table public.secrets enable row level security;
alter table public.secrets force row level security;
create policy owner on public.secrets to owner using (true) with check (true);
create policy tenant on public.secrets to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.secrets FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.segment_changes (
  organization_id text collate "C" not null,
  xid text collate "C" not null default (pg_current_xact_id())::text,
  contact_id text collate "C" not null,
  silent boolean not null default false,
  constraint segment_changes_pkey PRIMARY KEY (organization_id, xid, contact_id),
  constraint segment_changes_bytes_check CHECK (((octet_length(contact_id) <= 100) AND (octet_length(xid) <= 100))),
  constraint segment_changes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
alter table public.segment_changes enable row level security;
alter table public.segment_changes force row level security;
create policy owner on public.segment_changes to owner using (true) with check (true);
create policy tenant on public.segment_changes to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.segment_evaluations (
  organization_id text collate "C" not null,
  epoch integer not null default 0,
  lease_until timestamp with time zone,
  claimed_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint segment_evaluations_pkey PRIMARY KEY (organization_id),
  constraint segment_evaluations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
alter table public.segment_evaluations enable row level security;
alter table public.segment_evaluations force row level security;
create policy owner on public.segment_evaluations to owner using (true) with check (true);
create policy tenant on public.segment_evaluations to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.segment_members (
  organization_id text collate "C" not null,
  segment_id text collate "C" not null,
  contact_id text collate "C" not null,
  entered_at timestamp(3) with time zone not null default now(),
  constraint segment_members_pkey PRIMARY KEY (organization_id, segment_id, contact_id),
  constraint segment_members_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES public.contacts(organization_id, id) ON DELETE CASCADE,
  constraint segment_members_segment_id_fkey FOREIGN KEY (organization_id, segment_id) REFERENCES public.segments(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX segment_members_contact_id_idx ON public.segment_members USING btree (organization_id, contact_id);
alter table public.segment_members enable row level security;
alter table public.segment_members force row level security;
create policy owner on public.segment_members to owner using (true) with check (true);
create policy tenant on public.segment_members to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.segment_members FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.segments (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  description text,
  kind text not null,
  filters json,
  uses text[] not null default '{}'::text[],
  timed boolean not null default false,
  baseline boolean not null,
  sweep_at timestamp with time zone,
  "position" text collate "C" not null default ''::text,
  sweep_ms integer not null default 0,
  barrier text,
  evaluated_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint segments_pkey PRIMARY KEY (organization_id, id),
  constraint segments_organization_id_name_key UNIQUE (organization_id, name),
  constraint segments_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(name) <= 1024) AND (octet_length(description) <= 65536) AND (octet_length("position") <= 1024) AND (octet_length(barrier) <= 100) AND (octet_length((uses)::text) <= 65536))),
  constraint segments_kind_check CHECK (((kind = ANY (ARRAY['dynamic'::text, 'static'::text])) AND ((kind = 'dynamic'::text) = (filters IS NOT NULL)))),
  constraint segments_size_check CHECK (((filters IS NULL) OR (pg_column_size(filters) <= 4096) OR (octet_length((filters)::text) <= 1048576))),
  constraint segments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX segments_newest_idx ON public.segments USING btree (organization_id, created_at, id);
CREATE INDEX segments_dynamic_idx ON public.segments USING btree (organization_id) WHERE (kind = 'dynamic'::text);
CREATE INDEX segments_sweep_at_idx ON public.segments USING btree (sweep_at) WHERE (sweep_at IS NOT NULL);
alter table public.segments enable row level security;
alter table public.segments force row level security;
create policy owner on public.segments to owner using (true) with check (true);
create policy tenant on public.segments to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.segments FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.sender_domains (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  domain text collate "C" not null,
  token text collate "C" not null,
  created_at timestamp(3) with time zone not null default now(),
  created_by text collate "C",
  verified_at timestamp(3) with time zone,
  missing_since timestamp(3) with time zone,
  checked_at timestamp(3) with time zone,
  result text,
  next_check_at timestamp with time zone,
  constraint sender_domains_pkey PRIMARY KEY (organization_id, id),
  constraint sender_domains_domain_key UNIQUE (organization_id, domain),
  constraint sender_domains_result_check CHECK ((result = ANY (ARRAY['found'::text, 'missing'::text, 'different'::text, 'unanswered'::text]))),
  constraint sender_domains_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX sender_domains_next_check_at_idx ON public.sender_domains USING btree (next_check_at) WHERE (next_check_at IS NOT NULL);
alter table public.sender_domains enable row level security;
alter table public.sender_domains force row level security;
create policy owner on public.sender_domains to owner using (true) with check (true);
create policy tenant on public.sender_domains to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.sender_domains FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.sender_keys (
  organization_id text collate "C" not null,
  selector text collate "C" not null,
  domain_id text collate "C" not null,
  state text not null default 'next'::text,
  public_key text not null,
  sealed bytea,
  is_found boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  retired_at timestamp(3) with time zone,
  constraint sender_keys_pkey PRIMARY KEY (organization_id, selector),
  constraint sender_keys_state_key UNIQUE (organization_id, domain_id, state),
  constraint sender_keys_bytes_check CHECK (((octet_length(domain_id) <= 100) AND (octet_length(selector) <= 100) AND (octet_length(state) <= 100) AND (octet_length(public_key) <= 16384))),
  constraint sender_keys_sealed_check CHECK (((octet_length(sealed) >= 1) AND (octet_length(sealed) <= 65536))),
  constraint sender_keys_state_check CHECK ((state = ANY (ARRAY['next'::text, 'current'::text, 'previous'::text]))),
  constraint sender_keys_domain_id_fkey FOREIGN KEY (organization_id, domain_id) REFERENCES public.sender_domains(organization_id, id) ON DELETE CASCADE
);
alter table public.sender_keys enable row level security;
alter table public.sender_keys force row level security;
create policy owner on public.sender_keys to owner using (true) with check (true);
create policy tenant on public.sender_keys to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.sender_keys FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.sending_rules (
  organization_id text collate "C" not null,
  timezone text not null,
  transactional_email boolean not null default false,
  quiet_from text,
  quiet_to text,
  quiet_days integer[],
  quiet_channels text[],
  caps jsonb not null default '[]'::jsonb,
  updated_at timestamp(3) with time zone not null default now(),
  constraint sending_rules_pkey PRIMARY KEY (organization_id),
  constraint sending_rules_bytes_check CHECK (((octet_length(timezone) <= 1024) AND (octet_length((caps)::text) <= 1048576))),
  constraint sending_rules_quiet_check CHECK ((num_nulls(quiet_from, quiet_to, quiet_days, quiet_channels) = ANY (ARRAY[0, 4]))),
  constraint sending_rules_quiet_size_check CHECK (((octet_length((quiet_days)::text) <= 1024) AND (octet_length((quiet_channels)::text) <= 65536))),
  constraint sending_rules_times_check CHECK (((quiet_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text) AND (quiet_to ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text))),
  constraint sending_rules_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
alter table public.sending_rules enable row level security;
alter table public.sending_rules force row level security;
create policy owner on public.sending_rules to owner using (true) with check (true);
create policy tenant on public.sending_rules to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.sending_rules FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.suppressed_addresses (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  channel text collate "C" not null,
  address text collate "C" not null,
  reason text collate "C" not null,
  message_id text collate "C",
  created_at timestamp(3) with time zone not null default now(),
  constraint suppressed_addresses_pkey PRIMARY KEY (organization_id, id),
  constraint suppressed_addresses_address_key UNIQUE (organization_id, channel, address),
  constraint suppressed_addresses_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(channel) <= 100) AND (octet_length(address) <= 1100) AND (octet_length(message_id) <= 100))),
  constraint suppressed_addresses_reason_check CHECK ((reason = ANY (ARRAY['bounce'::text, 'complaint'::text, 'manual'::text]))),
  constraint suppressed_addresses_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX suppressed_addresses_newest_idx ON public.suppressed_addresses USING btree (organization_id, created_at, id);
alter table public.suppressed_addresses enable row level security;
alter table public.suppressed_addresses force row level security;
create policy owner on public.suppressed_addresses to owner using (true) with check (true);
create policy tenant on public.suppressed_addresses to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.suppressed_addresses FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.template_snippets (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  content text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint template_snippets_pkey PRIMARY KEY (organization_id, id),
  constraint template_snippets_organization_id_name_key UNIQUE (organization_id, name),
  constraint template_snippets_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(name) <= 1024))),
  constraint template_snippets_texts_check CHECK (((octet_length(content) <= 262144) AND ((COALESCE(octet_length(id), 0) + COALESCE(octet_length(name), 0)) <= 65536))),
  constraint template_snippets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX template_snippets_newest_idx ON public.template_snippets USING btree (organization_id, created_at, id);
alter table public.template_snippets enable row level security;
alter table public.template_snippets force row level security;
create policy owner on public.template_snippets to owner using (true) with check (true);
create policy tenant on public.template_snippets to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.template_snippets FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.template_versions (
  organization_id text collate "C" not null,
  template_id text collate "C" not null,
  version integer not null,
  id text collate "C" not null,
  content json not null,
  compiled json not null,
  warnings json not null,
  restored_from integer,
  actor_kind text not null,
  actor_id text collate "C" not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint template_versions_pkey PRIMARY KEY (organization_id, template_id, version),
  constraint template_versions_content_check CHECK (((octet_length((content)::text) <= 2097152) AND (octet_length((compiled)::text) <= 8388608) AND (octet_length((warnings)::text) <= 1048576) AND (octet_length(((compiled -> 'variables'::text))::text) <= 2097152) AND (json_array_length((content -> 'variables'::text)) <= 100) AND (json_array_length((compiled -> 'variables'::text)) <= 100))),
  constraint template_versions_texts_check CHECK (((((COALESCE(octet_length(template_id), 0) + COALESCE(octet_length(id), 0)) + COALESCE(octet_length(actor_kind), 0)) + COALESCE(octet_length(actor_id), 0)) <= 65536)),
  constraint template_versions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint template_versions_template_id_fkey FOREIGN KEY (organization_id, template_id) REFERENCES public.templates(organization_id, id) ON DELETE CASCADE
);
alter table public.template_versions enable row level security;
alter table public.template_versions force row level security;
create policy owner on public.template_versions to owner using (true) with check (true);
create policy tenant on public.template_versions to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.template_versions FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER quota_refusal AFTER INSERT ON public.template_versions REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_insert('stored_bytes');

create table public.templates (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  description text,
  draft json not null,
  draft_version integer not null default 1,
  restored_from integer,
  version integer,
  version_id text collate "C",
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint templates_pkey PRIMARY KEY (organization_id, id),
  constraint templates_organization_id_name_key UNIQUE (organization_id, name),
  constraint templates_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(name) <= 1024))),
  constraint templates_draft_check CHECK (((octet_length((draft)::text) <= 2097152) AND (json_array_length((draft -> 'variables'::text)) <= 100))),
  constraint templates_texts_check CHECK (((((COALESCE(octet_length(id), 0) + COALESCE(octet_length(name), 0)) + COALESCE(octet_length(description), 0)) + COALESCE(octet_length(version_id), 0)) <= 65536)),
  constraint templates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX templates_newest_idx ON public.templates USING btree (organization_id, created_at, id);
alter table public.templates enable row level security;
alter table public.templates force row level security;
create policy owner on public.templates to owner using (true) with check (true);
create policy tenant on public.templates to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.templates FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.tool_policies (
  organization_id text collate "C" not null,
  tool text collate "C" not null,
  hidden boolean not null default false,
  confirmation text not null default 'never'::text,
  updated_at timestamp with time zone not null default now(),
  constraint tool_policies_pkey PRIMARY KEY (organization_id, tool),
  constraint tool_policies_confirmation_check CHECK ((confirmation = ANY (ARRAY['never'::text, 'when_possible'::text, 'always'::text]))),
  constraint tool_policies_tool_check CHECK (((char_length(tool) >= 1) AND (char_length(tool) <= 64))),
  constraint tool_policies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
alter table public.tool_policies enable row level security;
alter table public.tool_policies force row level security;
create policy owner on public.tool_policies to owner using (true) with check (true);
create policy tenant on public.tool_policies to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.tool_policies FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER row_limit AFTER INSERT ON public.tool_policies REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.limit_rows('500');

create table public.topic_subscriptions (
  organization_id text collate "C" not null,
  contact_id text collate "C" not null,
  topic text collate "C" not null,
  state text collate "C" not null,
  source text collate "C" not null,
  evidence jsonb,
  confirmation_id text collate "C",
  changed_at timestamp(3) with time zone not null default now(),
  confirmation_address text collate "C",
  constraint topic_subscriptions_pkey PRIMARY KEY (organization_id, contact_id, topic),
  constraint topic_subscriptions_bytes_check CHECK ((octet_length((evidence)::text) <= 1048576)),
  constraint topic_subscriptions_size_check CHECK (((octet_length(topic) <= 1024) AND (octet_length(source) <= 1024) AND (octet_length(confirmation_id) <= 1024) AND (octet_length(confirmation_address) <= 1024))),
  constraint topic_subscriptions_state_check CHECK ((state = ANY (ARRAY['subscribed'::text, 'pending'::text, 'unsubscribed'::text]))),
  constraint topic_subscriptions_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES public.contacts(organization_id, id) ON DELETE CASCADE,
  constraint topic_subscriptions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
alter table public.topic_subscriptions enable row level security;
alter table public.topic_subscriptions force row level security;
create policy owner on public.topic_subscriptions to owner using (true) with check (true);
create policy tenant on public.topic_subscriptions to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.topic_subscriptions FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER limit_subscription BEFORE INSERT OR UPDATE ON public.topic_subscriptions FOR EACH ROW EXECUTE FUNCTION private.limit_subscription();
CREATE TRIGGER log_changed_subscription AFTER UPDATE ON public.topic_subscriptions FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION private.log_subscription();
CREATE TRIGGER log_new_subscription AFTER INSERT ON public.topic_subscriptions FOR EACH ROW EXECUTE FUNCTION private.log_subscription();

create table public.topics (
  organization_id text collate "C" not null,
  name text collate "C" not null,
  title text not null,
  description text,
  opted_in boolean not null,
  double_opt_in boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint topics_pkey PRIMARY KEY (organization_id, name),
  constraint topics_bytes_check CHECK (((octet_length(title) <= 4096) AND (octet_length(description) <= 65536))),
  constraint topics_double_opt_in_check CHECK ((NOT (opted_in AND double_opt_in))),
  constraint topics_name_check CHECK ((name ~ '^[a-z][a-z0-9_-]{0,63}$'::text)),
  constraint topics_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
alter table public.topics enable row level security;
alter table public.topics force row level security;
create policy owner on public.topics to owner using (true) with check (true);
create policy tenant on public.topics to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.topics FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.webhook_deliveries (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  workflow_id text collate "C" not null,
  kind text not null,
  received_at timestamp with time zone not null,
  status integer not null,
  code text not null,
  run_id text collate "C",
  headers json not null,
  body_bytes integer,
  body_hash bytea,
  body bytea,
  mistakes json not null default '[]'::json,
  verified boolean not null default false,
  constraint webhook_deliveries_pkey PRIMARY KEY (organization_id, id),
  constraint webhook_deliveries_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(kind) <= 100) AND (octet_length(code) <= 1024) AND (octet_length(run_id) <= 100) AND (octet_length(body_hash) <= 100) AND (octet_length(body) <= 16777216) AND ((pg_column_size(headers) <= 16384) OR (octet_length((headers)::text) <= 4194304)) AND ((pg_column_size(mistakes) <= 16384) OR (octet_length((mistakes)::text) <= 4194304)))),
  constraint webhook_deliveries_kind_check CHECK ((kind = ANY (ARRAY['accepted'::text, 'refused'::text, 'test'::text]))),
  constraint webhook_deliveries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint webhook_deliveries_workflow_id_fkey FOREIGN KEY (organization_id, workflow_id) REFERENCES public.workflows(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_newest_idx ON public.webhook_deliveries USING btree (organization_id, workflow_id, kind, received_at, id);
alter table public.webhook_deliveries enable row level security;
alter table public.webhook_deliveries force row level security;
create policy owner on public.webhook_deliveries to owner using (true) with check (true);
create policy tenant on public.webhook_deliveries to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));

create table public.workflow_runs (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  workflow_id text collate "C" not null,
  workflow_version integer not null,
  status text not null default 'queued'::text,
  reason text,
  trigger_type text not null,
  payload bytea not null,
  large_payload json,
  contact_id text collate "C",
  dedupe_key text collate "C",
  body_hash bytea,
  depth integer not null default 0,
  root_run_id text collate "C",
  replay_of text collate "C",
  epoch integer not null default 0,
  crashes integer not null default 0,
  available_at timestamp with time zone not null default now(),
  limited boolean not null default false,
  delayed_by text,
  delayed_until timestamp with time zone,
  debounce_key text collate "C",
  debounce_since timestamp with time zone,
  released_at timestamp with time zone,
  earlier_begins timestamp with time zone[],
  slot_key text collate "C",
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  request json,
  answer json,
  lost_contact boolean not null default false,
  constraint workflow_runs_pkey PRIMARY KEY (organization_id, id),
  constraint workflow_runs_dedupe_key UNIQUE (organization_id, workflow_id, dedupe_key),
  constraint workflow_runs_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(contact_id) <= 100) AND (octet_length(debounce_key) <= 1100) AND (octet_length(dedupe_key) <= 1100) AND (octet_length(delayed_by) <= 100) AND (octet_length(reason) <= 1024) AND (octet_length(root_run_id) <= 100) AND (octet_length(slot_key) <= 1100))),
  constraint workflow_runs_delayed_by_check CHECK ((delayed_by = ANY (ARRAY['debounce'::text, 'rate'::text, 'turn'::text, 'key'::text, 'slot'::text]))),
  constraint workflow_runs_delayed_until_check CHECK (((delayed_until IS NULL) OR ((delayed_by IS NOT NULL) AND ((delayed_by = 'rate'::text) OR ((delayed_by = 'debounce'::text) AND (debounce_key IS NOT NULL)))))),
  constraint workflow_runs_names_check CHECK (((octet_length(workflow_id) <= 100) AND (octet_length(trigger_type) <= 100) AND (octet_length(body_hash) <= 100) AND (octet_length(replay_of) <= 100))),
  constraint workflow_runs_payload_size_check CHECK (((octet_length(payload) <= 4194304) AND ((large_payload IS NULL) OR (octet_length((large_payload)::text) <= 4096)))),
  constraint workflow_runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text]))),
  constraint workflow_runs_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES public.contacts(organization_id, id) ON DELETE SET NULL (contact_id),
  constraint workflow_runs_version_fkey FOREIGN KEY (organization_id, workflow_id, workflow_version) REFERENCES public.workflow_versions(organization_id, workflow_id, version) ON DELETE CASCADE
);
CREATE INDEX workflow_runs_lease_idx ON public.workflow_runs USING btree (available_at) WHERE (status = 'running'::text);
CREATE INDEX workflow_runs_root_idx ON public.workflow_runs USING btree (organization_id, root_run_id) WHERE (root_run_id IS NOT NULL);
CREATE INDEX workflow_runs_status_idx ON public.workflow_runs USING btree (organization_id, status, created_at, id);
CREATE INDEX workflow_runs_workflow_idx ON public.workflow_runs USING btree (organization_id, workflow_id, status, created_at, id);
CREATE INDEX workflow_runs_contact_idx ON public.workflow_runs USING btree (organization_id, contact_id, created_at, id) WHERE (contact_id IS NOT NULL);
CREATE INDEX workflow_runs_reason_idx ON public.workflow_runs USING btree (organization_id, reason, created_at, id) WHERE (reason IS NOT NULL);
CREATE INDEX workflow_runs_finished_idx ON public.workflow_runs USING btree (organization_id, finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX workflow_runs_wake_idx ON public.workflow_runs USING btree (available_at) WHERE (status = 'waiting'::text);
CREATE INDEX workflow_runs_due_idx ON public.workflow_runs USING btree (organization_id, available_at) WHERE ((status = 'queued'::text) AND (delayed_by IS NULL));
CREATE INDEX workflow_runs_delayed_idx ON public.workflow_runs USING btree (organization_id, workflow_id, delayed_by, created_at, id) WHERE ((status = 'queued'::text) AND (delayed_by IS NOT NULL));
CREATE INDEX workflow_runs_debounce_idx ON public.workflow_runs USING btree (organization_id, workflow_id, debounce_key, created_at, id) WHERE ((status = 'queued'::text) AND (delayed_by = 'debounce'::text));
CREATE INDEX workflow_runs_slot_idx ON public.workflow_runs USING btree (organization_id, workflow_id, delayed_by, slot_key, created_at, id) WHERE (limited AND (status = ANY (ARRAY['queued'::text, 'running'::text])));
CREATE INDEX workflow_runs_released_idx ON public.workflow_runs USING btree (organization_id, workflow_id, released_at) WHERE (released_at IS NOT NULL);
CREATE UNIQUE INDEX workflow_runs_id_key ON public.workflow_runs USING btree (id);
CREATE INDEX workflow_runs_delayed_turns_idx ON public.workflow_runs USING btree (organization_id, delayed_until) WHERE ((status = 'queued'::text) AND (delayed_until IS NOT NULL));
CREATE INDEX workflow_runs_delayed_until_idx ON public.workflow_runs USING btree (delayed_until) WHERE ((status = 'queued'::text) AND (delayed_until IS NOT NULL));
alter table public.workflow_runs enable row level security;
alter table public.workflow_runs force row level security;
create policy owner on public.workflow_runs to owner using (true) with check (true);
create policy tenant on public.workflow_runs to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER bound_request BEFORE INSERT OR UPDATE OF request ON public.workflow_runs FOR EACH ROW WHEN ((pg_column_size(new.request) > 1024)) EXECUTE FUNCTION private.bound_values('request', '262144');
CREATE TRIGGER bound_values BEFORE INSERT OR UPDATE OF answer ON public.workflow_runs FOR EACH ROW WHEN ((pg_column_size(new.answer) > 16384)) EXECUTE FUNCTION private.bound_values('answer', '4194304');
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.workflow_runs FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER note_lost_contact BEFORE UPDATE OF contact_id ON public.workflow_runs FOR EACH ROW WHEN (((old.contact_id IS NOT NULL) AND (new.contact_id IS NULL))) EXECUTE FUNCTION private.note_lost_contact();
CREATE TRIGGER quota_refusal AFTER INSERT ON public.workflow_runs REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_insert('runs', 'stored_bytes');
CREATE TRIGGER workflow_runs_cancel_children AFTER UPDATE OF status ON public.workflow_runs FOR EACH ROW WHEN (((new.status = 'canceled'::text) AND (old.status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text])) AND (new.reason <> 'debounced'::text))) EXECUTE FUNCTION private.cancel_children();
CREATE TRIGGER workflow_runs_end_child AFTER UPDATE OF status ON public.workflow_runs FOR EACH ROW WHEN (((new.depth > 0) AND (new.status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'canceled'::text])) AND (new.status <> old.status))) EXECUTE FUNCTION private.end_child_run();
CREATE TRIGGER workflow_runs_notify_change AFTER UPDATE OF status ON public.workflow_runs FOR EACH ROW WHEN (((old.status <> new.status) AND (((new.status = 'failed'::text) AND (new.reason = 'poison'::text)) OR ((new.status = 'canceled'::text) AND (new.reason = ANY (ARRAY['debounced'::text, 'parent_ended'::text])))))) EXECUTE FUNCTION private.notify_run_change();
CREATE TRIGGER workflow_runs_record_parked AFTER UPDATE OF status ON public.workflow_runs FOR EACH ROW WHEN (((new.status = 'failed'::text) AND (new.reason = 'poison'::text) AND (old.status <> 'failed'::text))) EXECUTE FUNCTION private.record_parked_run();
CREATE TRIGGER workflow_runs_requeue_limited BEFORE UPDATE OF status ON public.workflow_runs FOR EACH ROW WHEN ((new.limited AND (new.status = 'queued'::text) AND (old.status = ANY (ARRAY['waiting'::text, 'failed'::text, 'canceled'::text])))) EXECUTE FUNCTION private.requeue_limited_run();
CREATE TRIGGER workflow_runs_use_rate_place BEFORE UPDATE OF status ON public.workflow_runs FOR EACH ROW WHEN (((old.released_at = 'infinity'::timestamp with time zone) AND (new.status <> 'queued'::text))) EXECUTE FUNCTION private.use_rate_place();

create table public.workflow_schedules (
  organization_id text collate "C" not null,
  workflow_id text collate "C" not null,
  next_tick_at timestamp with time zone not null,
  available_at timestamp with time zone not null,
  epoch integer not null default 0,
  constraint workflow_schedules_pkey PRIMARY KEY (organization_id, workflow_id),
  constraint workflow_schedules_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint workflow_schedules_workflow_id_fkey FOREIGN KEY (organization_id, workflow_id) REFERENCES public.workflows(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX workflow_schedules_due_idx ON public.workflow_schedules USING btree (available_at);
alter table public.workflow_schedules enable row level security;
alter table public.workflow_schedules force row level security;
create policy owner on public.workflow_schedules to owner using (true) with check (true);
create policy tenant on public.workflow_schedules to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.workflow_schedules FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();

create table public.workflow_versions (
  organization_id text collate "C" not null,
  workflow_id text collate "C" not null,
  version integer not null,
  steps json not null,
  trigger_contact json,
  content json,
  actor_kind text,
  actor_id text collate "C",
  restored_from integer,
  tool_schemas jsonb,
  fitting_schemas jsonb,
  loose_references json,
  created_at timestamp with time zone not null default now(),
  constraint workflow_versions_pkey PRIMARY KEY (organization_id, workflow_id, version),
  constraint workflow_versions_bytes_check CHECK (((octet_length((tool_schemas)::text) <= 8388608) AND (octet_length((fitting_schemas)::text) <= 8388608) AND ((pg_column_size(loose_references) <= 32768) OR (octet_length((loose_references)::text) <= 8388608)))),
  constraint workflow_versions_size_check CHECK ((((steps IS NULL) OR (pg_column_size(steps) <= 32768) OR (octet_length((steps)::text) <= 8388608)) AND ((trigger_contact IS NULL) OR (pg_column_size(trigger_contact) <= 4096) OR (octet_length((trigger_contact)::text) <= 1048576)) AND ((content IS NULL) OR (pg_column_size(content) <= 32768) OR (octet_length((content)::text) <= 8388608)))),
  constraint workflow_versions_texts_check CHECK ((((COALESCE(octet_length(workflow_id), 0) + COALESCE(octet_length(actor_kind), 0)) + COALESCE(octet_length(actor_id), 0)) <= 65536)),
  constraint workflow_versions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE,
  constraint workflow_versions_workflow_id_fkey FOREIGN KEY (organization_id, workflow_id) REFERENCES public.workflows(organization_id, id) ON DELETE CASCADE
);
alter table public.workflow_versions enable row level security;
alter table public.workflow_versions force row level security;
create policy owner on public.workflow_versions to owner using (true) with check (true);
create policy tenant on public.workflow_versions to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.workflow_versions FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER quota_insert AFTER INSERT ON public.workflow_versions REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.count_insert('versions', 'total');

create table public.workflows (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  active boolean not null,
  version integer not null,
  trigger_type text not null,
  trigger_options json not null default '{}'::json,
  trigger_event text collate "C",
  webhook_options jsonb not null default '{}'::jsonb,
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  constraint workflows_pkey PRIMARY KEY (organization_id, id),
  constraint workflows_bytes_check CHECK (((octet_length(id) <= 100) AND (octet_length(trigger_event) <= 200))),
  constraint workflows_limits_size_check CHECK ((octet_length(((trigger_options -> 'limits'::text))::text) <= 16384)),
  constraint workflows_options_size_check CHECK (((octet_length((trigger_options)::text) <= 524288) AND (octet_length((webhook_options)::text) <= 65536) AND (octet_length(secret) <= 65536) AND (octet_length(previous_secret) <= 65536) AND (length(regexp_replace((trigger_options)::text, '"(?:\\.|[^"\\])*"|[^[{"]'::text, ''::text, 'g'::text)) <= 2000))),
  constraint workflows_schedule_check CHECK (((length((trigger_options ->> 'cron'::text)) <= 256) AND (length((trigger_options ->> 'timezone'::text)) <= 256))),
  constraint workflows_texts_check CHECK (((((COALESCE(octet_length(id), 0) + COALESCE(octet_length(name), 0)) + COALESCE(octet_length(trigger_type), 0)) + COALESCE(octet_length(trigger_event), 0)) <= 65536)),
  constraint workflows_trigger_options_check CHECK (((length((trigger_options ->> 'if'::text)) <= 524288) AND ((((trigger_options -> 'limits'::text) -> 'concurrency'::text) ->> 'runs'::text) ~ '^([1-9][0-9]{0,2}|1000)$'::text) AND ((((trigger_options -> 'limits'::text) -> 'concurrency'::text) ->> 'runs_per_key'::text) ~ '^([1-9][0-9]{0,2}|1000)$'::text) AND ((((trigger_options -> 'limits'::text) -> 'rate'::text) ->> 'runs'::text) ~ '^([1-9][0-9]{0,2}|1000)$'::text) AND ((((trigger_options -> 'limits'::text) -> 'rate'::text) ->> 'per_seconds'::text) ~ '^([1-9][0-9]{0,3}|[1-7][0-9]{4}|8[0-5][0-9]{3}|86[0-3][0-9]{2}|86400)$'::text) AND ((((trigger_options -> 'limits'::text) -> 'debounce'::text) ->> 'seconds'::text) ~ '^([1-9][0-9]{0,3}|[1-7][0-9]{4}|8[0-5][0-9]{3}|86[0-3][0-9]{2}|86400)$'::text) AND ((((trigger_options -> 'limits'::text) -> 'debounce'::text) ->> 'max_seconds'::text) ~ '^([1-9][0-9]{0,4}|[1-5][0-9]{5}|60[0-3][0-9]{3}|604[0-7][0-9]{2}|604800)$'::text))),
  constraint workflows_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE
);
CREATE INDEX workflows_event_idx ON public.workflows USING btree (organization_id, trigger_event) WHERE ((trigger_event IS NOT NULL) AND active AND (deleted_at IS NULL));
CREATE UNIQUE INDEX workflows_id_key ON public.workflows USING btree (id);
alter table public.workflows enable row level security;
alter table public.workflows force row level security;
create policy owner on public.workflows to owner using (true) with check (true);
create policy tenant on public.workflows to public using ((organization_id = ( SELECT public.current_organization() AS current_organization))) with check ((organization_id = ( SELECT public.current_organization() AS current_organization)));
CREATE TRIGGER dry_run_effects AFTER INSERT OR DELETE OR UPDATE ON public.workflows FOR EACH ROW WHEN ((current_setting('switchboard.dry_run'::text, true) = 'on'::text)) EXECUTE FUNCTION private.record_effect();
CREATE TRIGGER keep_deleted BEFORE UPDATE OF deleted_at ON public.workflows FOR EACH ROW WHEN (((old.deleted_at IS NOT NULL) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION private.keep_deleted_workflow();
CREATE TRIGGER quota_end AFTER UPDATE OF deleted_at ON public.workflows FOR EACH ROW WHEN (((old.deleted_at IS NULL) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION private.count_workflow_end();
CREATE TRIGGER quota_insert AFTER INSERT ON public.workflows REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.count_insert('workflows', 'total');

function gate.add_address_verification(of_user_id text, new_digest bytea, valid_seconds double precision) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.admit_runs(changed_id text) returns TABLE(id text, organization_id text, wait_ms double precision)
  language plpgsql security definer set search_path=pg_catalog, pg_temp set lock_timeout=1s;
function gate.analyze_growing_tables() returns integer
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.change_name(of_user_id text, new_name text, audit_entries json) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.change_password(of_user_id text, present_hash text, new_hash text, kept_digest text, new_tag text, audit_entries json) returns TABLE(changed boolean, organizations text[])
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.claim_events(batch_size integer, only_id text, lease_seconds integer, share jsonb DEFAULT '{}'::jsonb) returns TABLE(id text, organization_id text, epoch integer)
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.claim_imports(batch_size integer, only_id text, lease_seconds integer) returns TABLE(id text, organization_id text, epoch integer)
  language sql security definer set search_path=pg_catalog, pg_temp set enable_seqscan=off set enable_bitmapscan=off set enable_sort=off;
function gate.claim_measure(lease_seconds integer) returns TABLE(organization_id text)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.claim_messages(batch_size integer, only_id text, lease_seconds integer, share jsonb DEFAULT '{}'::jsonb) returns TABLE(id text, organization_id text, epoch integer)
  language plpgsql security definer set search_path=pg_catalog, pg_temp set plan_cache_mode=force_generic_plan set enable_sort=off;
function gate.claim_purge(lease_seconds integer) returns TABLE(organization_id text, kind text, epoch integer)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.claim_runs(batch_size integer, only_id text, lease_seconds integer, share jsonb DEFAULT '{}'::jsonb) returns TABLE(id text, organization_id text, epoch integer, limited boolean)
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.claim_schedules(batch_size integer, only_id text, lease_seconds integer, share jsonb DEFAULT '{}'::jsonb) returns TABLE(id text, organization_id text, epoch integer)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.claim_segments(batch_size integer, only_id text, lease_seconds integer) returns TABLE(id text, organization_id text, epoch integer)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.claim_sender_domains(most integer) returns TABLE(organization_id text, id text)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.create_account(new_user_id text, new_email text, new_password_hash text, new_organization_id text, new_name text, new_quotas json DEFAULT NULL::json, origin json DEFAULT NULL::json) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.create_api_key(for_organization_id text, by_user_id text, new_id text, new_hash bytea, new_prefix text, new_last_four text, new_expires_at timestamp with time zone, new_read_only boolean, new_tools text[], origin json DEFAULT NULL::json, in_session text DEFAULT NULL::text) returns void
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.create_first_account(new_user_id text, new_email text, new_password_hash text, new_organization_id text, new_name text, origin json DEFAULT NULL::json) returns boolean
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.end_sessions(of_user_id text, only_digest text, kept_digest text, audit_entries json) returns TABLE(organization_id text)
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.find_account(by_email text, by_user_id text, in_organization_id text) returns TABLE(user_id text, email text, name text, password_hash text, organization_id text, organization_name text, role text, policies jsonb)
  language plpgsql stable security definer set search_path=pg_catalog, pg_temp;
function gate.find_address_verification(of_user_id text, in_organization_id text) returns TABLE(is_verified boolean, messages_a_day bigint)
  language sql stable security definer set search_path=pg_catalog, pg_temp;
function gate.find_api_key(key_hash bytea) returns TABLE(id text, organization_id text, stale boolean, policies jsonb, offered_revisions text, read_only boolean, tools text[], revoked_at timestamp with time zone, expired_at timestamp with time zone)
  language plpgsql stable security definer set search_path=pg_catalog, pg_temp;
function gate.find_due_work() returns text[]
  language plpgsql stable security definer set search_path=pg_catalog, pg_temp set enable_seqscan=off;
function gate.find_outdated_versions(schemas jsonb, after_organization_id text, after_workflow_id text, after_version integer, batch_size integer) returns TABLE(organization_id text, workflow_id text, version integer, outdated boolean)
  language sql stable security definer set search_path=pg_catalog, pg_temp;
function gate.find_parked_runs(batch_size integer) returns TABLE(id text, organization_id text)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.find_sessions(of_user_id text, started_after timestamp with time zone) returns TABLE(digest text, organization_id text, organization_name text, started_at timestamp with time zone, expires_at timestamp with time zone, address text, client text)
  language sql stable security definer set search_path=pg_catalog, pg_temp;
function gate.find_webhook(webhook_workflow_id text) returns TABLE(organization_id text, revision text, active boolean, secret bytea, previous_secret bytea, previous_is_valid boolean, options jsonb, condition text, limited boolean)
  language sql stable security definer set search_path=pg_catalog, pg_temp;
function gate.finish_purge(of_organization text, of_kind text, claim integer, again_seconds integer) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.has_accounts() returns boolean
  language sql stable security definer set search_path=pg_catalog, pg_temp;
function gate.mark_active(organizations text[]) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.measure_quotas(of_organization text) returns void
  language plpgsql security definer set search_path=pg_catalog, pg_temp set plan_cache_mode=force_custom_plan;
function gate.purge(of_organization text, of_kind text, claim integer, batch_size integer, lease_seconds integer) returns integer
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.purge_call_log(keep_days integer, batch_size integer) returns integer
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.purge_confirmations(keep_days integer, batch_size integer) returns integer
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.purge_contact_merges(keep_days integer, batch_size integer) returns integer
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.purge_custom_events(keep_days integer, batch_size integer) returns integer
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.purge_idempotency_keys(keep_days integer, batch_size integer) returns integer
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.purge_imports(keep_days integer, batch_size integer) returns integer
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.purge_token_buckets(most_buckets integer) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.purge_uploads(keep_days integer, batch_size integer) returns integer
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.record_events(audit_entries json, calls json) returns void
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.record_sender_check(of_organization text, of_id text, of_domain text, of_token text, found text) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.release_events(ids text[], epochs integer[]) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.release_imports(ids text[], epochs integer[]) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.release_messages(ids text[], epochs integer[]) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.release_runs(ids text[], epochs integer[]) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.release_schedules(ids text[], epochs integer[]) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.release_segments(ids text[], epochs integer[]) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.remember_address(of_user_id text, from_network text) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.renew_events(ids text[], epochs integer[], lease_seconds integer) returns TABLE(id text, organization_id text, epoch integer)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.renew_imports(ids text[], epochs integer[], lease_seconds integer) returns TABLE(id text, organization_id text, epoch integer)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.renew_messages(ids text[], epochs integer[], lease_seconds integer) returns TABLE(id text, organization_id text, epoch integer)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.renew_runs(ids text[], epochs integer[], lease_seconds integer) returns TABLE(id text, organization_id text, epoch integer)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.renew_schedules(ids text[], epochs integer[], lease_seconds integer) returns TABLE(id text, organization_id text, epoch integer)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.renew_segments(ids text[], epochs integer[], lease_seconds integer) returns TABLE(id text, organization_id text, epoch integer)
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.reserve_token(bucket text, capacity integer, refill_seconds double precision) returns double precision
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.revoke_api_key(for_organization_id text, by_user_id text, origin json DEFAULT NULL::json, in_session text DEFAULT NULL::text) returns TABLE(id text)
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.seal_audit_log(batch_size integer) returns integer
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.sweep_run_limits() returns TABLE(id text, organization_id text)
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.take_sign_in_token(for_email text, from_network text, per_minute integer) returns double precision
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.take_token(bucket text, capacity integer, refill_seconds double precision) returns double precision
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.touch_api_key(key_organization_id text, key_id text, by_address text, by_agent text, by_client text) returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function gate.verify_address(by_user_id text, in_organization_id text, for_email text, digests bytea[], new_messages_a_day bigint, origin json) returns boolean
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function gate.wake_runs(batch_size integer) returns TABLE(woken integer)
  language plpgsql security definer set search_path=pg_catalog, pg_temp set enable_seqscan=off;
function private.admit_due_runs(batch_size integer) returns integer
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.admit_runs_of_workflow(organization text, workflow text, debounce_key text, keys text[], waits boolean) returns text[]
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.bound_values() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.cancel_children() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.choose_messages(batch_size integer, share jsonb, OUT organizations text[], OUT ids text[]) returns record
  language plpgsql set search_path=pg_catalog, pg_temp set plan_cache_mode=force_generic_plan set enable_sort=off;
function private.choose_runs(batch_size integer, share jsonb, first_organizations text[]) returns text[]
  language plpgsql set search_path=pg_catalog, pg_temp set plan_cache_mode=force_generic_plan set enable_sort=off;
function private.claim_alias() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.claim_contact_addresses() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.contact_filter_keys(organization text, tags text[], properties jsonb) returns bigint[]
  language plpgsql immutable strict parallel safe cost 1000;
function private.contact_search_keys(organization text, searched text, step integer) returns bigint[]
  language plpgsql immutable strict parallel safe cost 1000;
function private.count_insert() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.count_workflow_end() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.delete_audit_log(of_organization text) returns bigint
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.end_child_run() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.ensure_roles() returns void
  language plpgsql;
function private.grant_quota(of_organization_id text, quota text, amount bigint, on_day date) returns void
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.has_used_bytes(of_organization_id text) returns boolean
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.is_signed(purpose text, message text, signature text) returns boolean
  language plpgsql stable set search_path=pg_catalog, pg_temp;
function private.isolate(target regclass, key_column name DEFAULT 'organization_id'::name, bookkeeping boolean DEFAULT false) returns void
  language plpgsql;
function private.keep_deleted_workflow() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.keep_message() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.lease_runs(chosen text[], lease_seconds integer) returns TABLE(id text, organization_id text, epoch integer, limited boolean)
  language plpgsql set search_path=pg_catalog, pg_temp set plan_cache_mode=force_generic_plan;
function private.limit_rows() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.limit_subscription() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.link_message_files() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.lock_for_member(in_organization_id text, for_user_id text) returns void
  language plpgsql set search_path=pg_catalog, pg_temp set lock_timeout=1s;
function private.lock_session(of_digest text, of_user_id text) returns void
  language plpgsql set search_path=pg_catalog, pg_temp set lock_timeout=1s;
function private.log_consent() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.log_new_consents() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.log_subscription() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.mark_segment_changes() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.move_permission() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.note_lost_contact() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.notify_run_change() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.park_run(organization text, run text) returns boolean
  language plpgsql set search_path=pg_catalog, pg_temp set lock_timeout=1ms;
function private.pass_debounce(organization text, workflow text, limits json, key text) returns void
  language plpgsql set search_path=pg_catalog, pg_temp set lock_timeout=1ms;
function private.pass_keys(organization text, workflow text, limits json, keys text[]) returns void
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.pass_rate(organization text, workflow text, limits json) returns void
  language plpgsql set search_path=pg_catalog, pg_temp set enable_sort=off set enable_bitmapscan=off;
function private.pass_slots(organization text, workflow text, limits json) returns text[]
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.plan_measure() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.protect_audit_rule() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.purge_audit_log(of_organization text, before timestamp with time zone, batch_size integer) returns integer
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.recent_begins(begins timestamp with time zone[], since timestamp with time zone) returns timestamp with time zone[]
  language sql immutable set search_path=pg_catalog, pg_temp;
function private.record_effect() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.record_message_event() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.record_parked_run() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.refuse_insert() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.refuse_over(of_organization_id text, quotas text[]) returns void
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.report_effects_of(target regclass) returns void
  language plpgsql;
function private.requeue_due_runs(batch_size integer, OUT woken integer, OUT recovered text[]) returns record
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.requeue_limited_run() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.return_permission() returns trigger
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function private.return_quota(of_organization_id text, quota text, amount bigint) returns void
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.room_of_key(organization text, workflow text, max_runs_per_key integer, key text) returns integer
  language plpgsql stable set search_path=pg_catalog, pg_temp;
function private.store_seal(chain private.audit_chains, seal private.audit_seals) returns void
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.stored_bytes(of_organization text, contacts bigint, runs bigint, sample integer) returns bigint
  language plpgsql set search_path=pg_catalog, pg_temp set plan_cache_mode=force_custom_plan;
function private.take_quota(of_organization_id text, quota text, amount bigint, on_day date) returns void
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.tenant_privileges() returns TABLE(target regclass, privilege text, columns text[])
  language sql stable set search_path=pg_catalog, pg_temp;
function private.use_rate_place() returns trigger
  language plpgsql set search_path=pg_catalog, pg_temp;
function private.write_audit(entries json) returns void
  language plpgsql set search_path=pg_catalog, pg_temp;
function public.add_sender_domain(command text, signature text) returns void
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function public.assert_lease(rows bigint) returns bigint
  language plpgsql immutable set search_path=pg_catalog, pg_temp;
function public.check_pace(of_message text, of_contact text, of_channel text, of_topic text) returns TABLE(code text, cap text, until timestamp with time zone, drops boolean)
  language plpgsql set search_path=pg_catalog, pg_temp;
function public.current_organization() returns text
  language plpgsql stable security definer parallel restricted set search_path=pg_catalog, pg_temp;
function public.delete_contact_messages(command text, signature text) returns integer
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function public.find_contact_ids(wanted text, other text, batch_size integer) returns text[]
  language plpgsql stable security definer set search_path=pg_catalog, pg_temp set plan_cache_mode=force_generic_plan;
function public.find_contacts_by_keys(tags text[], properties jsonb, names text[], match_all boolean, batch_size integer) returns text[]
  language plpgsql stable security definer set search_path=pg_catalog, pg_temp set plan_cache_mode=force_generic_plan;
function public.find_segment_contacts(segment text, batch_size integer) returns text[]
  language sql stable set search_path=pg_catalog, pg_temp;
function public.lacks_message_quota() returns boolean
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function public.limit_lock_waits(milliseconds integer) returns void
  language plpgsql set search_path=pg_catalog, pg_temp;
function public.lock_name(name text, shared boolean) returns void
  language plpgsql set search_path=pg_catalog, pg_temp;
function public.lock_organization() returns void
  language sql security definer set search_path=pg_catalog, pg_temp;
function public.open_context(organization text, signature text) returns void
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function public.pace_message(of_message text, of_contact text, of_channel text, of_topic text) returns TABLE(code text, cap text, until timestamp with time zone, drops boolean)
  language plpgsql set search_path=pg_catalog, pg_temp;
function public.quiet_until(at timestamp with time zone, zone text, other_zone text, starts time without time zone, ends time without time zone, days integer[]) returns timestamp with time zone
  language plpgsql stable set search_path=pg_catalog, pg_temp;
function public.record_audit(entries text, signature text) returns void
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function public.record_contact_merge(command text, signature text) returns void
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function public.set_audit_retention(command text, signature text) returns void
  language plpgsql security definer set search_path=pg_catalog, pg_temp;
function public.surviving_contact(of_contact text, of_email text) returns text
  language plpgsql set search_path=pg_catalog, pg_temp;
