import type { Secret } from './secret.readers.ts';

export const SECRET_KINDS = ['value', 'header', 'basic', 'oauth2_client'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

export const CLIENT_AUTH = ['basic', 'body'] as const;

/** Lists the fields that each kind has besides the name, the secret and the hosts. */
export const FIELDS_OF_KIND: Readonly<Record<SecretKind, readonly SecretField[]>> = {
  value: [],
  header: ['header'],
  basic: ['username'],
  oauth2_client: ['token_url', 'client_id', 'scope', 'client_auth', 'header'],
};
export type SecretField =
  'header' | 'username' | 'token_url' | 'client_id' | 'scope' | 'client_auth';

/** Holds the texts that a person has typed. The hosts are separated by spaces, commas or new lines. */
export interface SecretDraft extends Record<SecretField, string> {
  name: string;
  kind: SecretKind;
  secret: string;
  hosts: string;
}

const EMPTY: SecretDraft = {
  name: '',
  kind: 'value',
  secret: '',
  hosts: '',
  header: '',
  username: '',
  token_url: '',
  client_id: '',
  scope: '',
  client_auth: 'basic',
};

/**
 * Returns the initial content of the form. The field of the secret is empty, because nobody can read a stored secret.
 */
export function draftOf(secret: Secret | undefined): SecretDraft {
  if (!secret) return EMPTY;
  const kind = SECRET_KINDS.find((one) => one === secret.kind) ?? 'value';
  return {
    name: secret.name,
    kind,
    secret: '',
    hosts: secret.hosts.join('\n'),
    header: secret.header ?? '',
    username: secret.username ?? '',
    token_url: secret.token_url ?? '',
    client_id: secret.client_id ?? '',
    scope: secret.scope ?? '',
    client_auth: secret.client_auth ?? 'basic',
  };
}

/**
 * Returns the arguments of `set_secret`. Fields of other kinds are left out. Optional fields without a text are sent as
 * empty texts, which remove the stored texts.
 */
export function toArguments(draft: SecretDraft): Record<string, unknown> {
  const fields = FIELDS_OF_KIND[draft.kind].map((field) => [field, draft[field].trim()] as const);
  return {
    name: draft.name.trim(),
    kind: draft.kind,
    ...(draft.secret !== '' && { secret: draft.secret }),
    hosts: draft.hosts.split(/[\s,]+/).filter((host) => host !== ''),
    ...Object.fromEntries(fields),
  };
}
