import { isIP } from 'node:net';

export const SECRET_KINDS = ['value', 'header', 'basic', 'oauth2_client'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

/** The ways in which a token URL gets the client id and the client secret (RFC 6749, 2.3.1). */
export const CLIENT_AUTH = ['basic', 'body'] as const;
export type ClientAuth = (typeof CLIENT_AUTH)[number];

/** A decrypted secret. Only `secret` is secret; the other members are shown to the people of the organization. */
export interface SecretContent {
  readonly kind: SecretKind;
  /** The value, the value of the header, the password, or the client secret. */
  readonly secret: string;
  /** The hosts that may receive the secret. `*.example.com` means every host below example.com. */
  readonly hosts: readonly string[];
  /**
   * The name of the header, for the kind `header`. For `oauth2_client`: the header that gets the token without
   * `Bearer`.
   */
  readonly header?: string;
  /** The user name, for the kind `basic`. */
  readonly username?: string;
  /** The URL that issues tokens. This member and the next three belong to the kind `oauth2_client`. */
  readonly token_url?: string;
  readonly client_id?: string;
  readonly scope?: string;
  /** When absent, `basic` applies. */
  readonly client_auth?: ClientAuth;
}

const NAME = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/i;
const MOST_CHARACTERS = 253;

/**
 * Returns true for a host name, a host name after `*.`, and an address. A text with a port or a path would match no
 * request.
 */
export function isHost(text: string): boolean {
  return text.length <= MOST_CHARACTERS && (NAME.test(text) || isIP(text) === 6);
}

/** Returns true if a request to this host may contain the secret. */
export function mayReceive({ hosts }: Pick<SecretContent, 'hosts'>, host: string): boolean {
  const name = host.toLowerCase();
  return hosts.some((allowed) =>
    allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed,
  );
}
