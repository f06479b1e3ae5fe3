import { Injectable } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { mayReceive, type SecretContent } from '../secrets/secret-content.js';
import { type MarkerPlace, SecretMarkers } from '../secrets/secret-markers.js';
import { SecretsService, type StoredSecret } from '../secrets/secrets.service.js';
import { didYouMean } from '../text/nearest-names.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { HiddenSecrets, SHORTEST } from './hidden-secrets.js';
import type { HttpRequestInput } from './http-request.inputs.js';
import { OAuthTokens } from './o-auth-tokens.js';
import { parseTarget } from './outbound-target.js';
import { SecretSearches } from './secret-searches.js';
import { AFTER_HOST, endsAfterHost } from './secrets-in-urls.js';

/** The largest number of secrets of a request. Each one is searched for in the whole response. */
const MOST_SECRETS = 10;
/** The largest number of characters that secrets add to a request, because a text may name a secret many times. */
const MOST_SECRET_CHARACTERS = 1024 * 1024;

/** A request with its secrets in place. It must not be stored or logged. */
export interface FilledRequest {
  readonly input: HttpRequestInput;
  /**
   * True if the request has at least one secret. Then the request needs TLS, except to addresses that OUTBOUND_ALLOW
   * names.
   */
  readonly hasSecrets: boolean;
  /** The header of the credential, if the request has one. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Checks the host of a URL that another system named. Throws `rejected` if this host may not receive all secrets of
   * the request, or if the host contains one of the secrets.
   */
  assertMayFollow(url: string): void;
  /**
   * Removes the secrets of the request from a part of the response. A number with a secret becomes a text. Other work
   * of the process continues meanwhile. Rejects with the reason of the signal when the call ends.
   */
  hide<T>(value: T): Promise<T>;
  /** Returns the error without the secrets of the request. */
  hideInError(error: unknown): Promise<unknown>;
  /** Removes the secrets of the request from the bytes of the response, as {@link hide} does. */
  hideIn(bytes: Buffer): Promise<Buffer>;
  /** Forgets the token that was sent. Returns false when the request has no token that could be renewed. */
  forgetToken(): boolean;
}

/**
 * Puts the secrets of an organization into requests, just before they are sent. Only steps with the tool `http_request`
 * may use secrets. `StepChecks` refuses secrets in other steps when the workflow is saved. Markers in other steps are
 * never replaced. `HttpRequestTools` hides the secrets in each output, in each rejected response and in all errors,
 * with `FilledRequest.hide` and `hideInError`.
 */
@Injectable()
export class RequestSecretsService {
  private readonly searches = new SecretSearches();

  constructor(
    private readonly secrets: SecretsService,
    private readonly markers: SecretMarkers,
    private readonly tokens: OAuthTokens,
  ) {}

  /**
   * Returns the request with its secrets. Throws `invalid_arguments` for an unknown secret, for a host that may not
   * receive it, and for a secret in front of the path of the URL.
   */
  async fill(input: HttpRequestInput, call: ToolCall): Promise<FilledRequest> {
    const { organizationId, runId = '', stepPath = '' } = call;
    const place = { runId, stepPath };
    const { credential } = input;
    const inTexts = new Set(this.markers.namesIn(place, JSON.stringify(input)));
    const names = [...inTexts, ...(credential === undefined ? [] : [credential])];
    if (names.length === 0) {
      return {
        input,
        hasSecrets: false,
        headers: {},
        assertMayFollow: () => undefined,
        hide: (value) => Promise.resolve(value),
        hideInError: (error) => Promise.resolve(error),
        hideIn: (bytes) => Promise.resolve(bytes),
        forgetToken: () => false,
      };
    }
    if (names.length > MOST_SECRETS) {
      throw AppError.invalid(`A request has at most ${MOST_SECRETS} secrets.`);
    }
    const stored = await this.secrets.list(organizationId, names);
    const byName = new Map(stored.map((secret) => [secret.name, secret]));
    const find = (name: string): StoredSecret => byName.get(name) ?? missing(name, byName);
    for (const name of inTexts) assertKind(find(name), true);
    this.assertAfterHost(input, place);
    const filled = this.fillTexts(input, place, (name) => find(name).content.secret);
    const { host } = parseTarget(filled.url);
    for (const name of names) assertHost(find(name), host);
    const hidden = new Map(stored.map(({ name, content }) => [content.secret, name]));
    const assertMayFollow = (url: string): void => {
      const next = parseTarget(url);
      if (stored.some(({ content }) => !mayReceive(content, next.host))) {
        throw new AppError(
          'rejected',
          'The other system named a next URL at a host that may not receive the secrets of the request.',
        );
      }
      if ([...hidden.keys()].some((text) => isIn(text, next.authority))) {
        throw new AppError(
          'rejected',
          'The other system named a next URL whose host contains a secret of the request.',
        );
      }
    };
    const authentication = credential === undefined ? undefined : find(credential);
    if (!authentication) {
      return {
        ...this.result(call, filled, {}, hidden),
        assertMayFollow,
        forgetToken: () => false,
      };
    }
    assertKind(authentication, false);
    const [name, value] = await this.headerOf(organizationId, authentication);
    // Hide also what follows the scheme: the token, or the user name and the password as HTTP Basic encodes them.
    hidden.set(value.replace(/^[A-Za-z][A-Za-z0-9-]* /, ''), authentication.name);
    return {
      ...this.result(call, filled, { [name.toLowerCase()]: value }, hidden),
      assertMayFollow,
      forgetToken: () => {
        if (authentication.content.kind !== 'oauth2_client') return false;
        this.tokens.forget(organizationId, authentication);
        return true;
      },
    };
  }

  /** Throws `invalid_arguments` for a secret in front of the path of the URL, which name servers and errors see. */
  private assertAfterHost({ url }: HttpRequestInput, place: MarkerPlace): void {
    const beginning = this.markers.textBefore(place, url);
    if (beginning !== undefined && !endsAfterHost(beginning)) {
      throw AppError.invalidField('url', AFTER_HOST);
    }
  }

  private fillTexts(
    input: HttpRequestInput,
    place: MarkerPlace,
    secretOf: (name: string) => string,
  ): HttpRequestInput {
    let characters = 0;
    const bounded = (name: string): string => {
      const secret = secretOf(name);
      characters += secret.length;
      if (characters <= MOST_SECRET_CHARACTERS) return secret;
      throw AppError.invalid(
        `The secrets in a request have at most ${MOST_SECRET_CHARACTERS} characters together.`,
      );
    };
    const fill = (text: string): string => this.markers.fill(place, text, bounded);
    const fillValues = <T>(argument: string, value: T): T =>
      mapTexts(value, fill, (name) => {
        // An error could show a part of the name, in which the secret would not be recognized.
        if (this.markers.namesIn(place, name).length === 0) return;
        throw AppError.invalidField(argument, 'must have no secret in names of members');
      });
    return {
      ...input,
      // A secret in a URL is encoded, so that it stays one part of the URL, whatever characters it has.
      url: this.markers.fill(place, input.url, (name) => encodeURIComponent(bounded(name))),
      ...(input.query && { query: fillValues('query', input.query) }),
      ...(input.headers && { headers: fillValues('headers', input.headers) }),
      ...(input.json && { json: fillValues('json', input.json) }),
      ...(input.form && { form: fillValues('form', input.form) }),
      ...(input.multipart && { multipart: fillValues('multipart', input.multipart) }),
      ...(input.body !== undefined && { body: fill(input.body) }),
    };
  }

  private result(
    call: ToolCall,
    input: HttpRequestInput,
    headers: Record<string, string>,
    hidden: ReadonlyMap<string, string>,
  ): Omit<FilledRequest, 'assertMayFollow' | 'forgetToken'> {
    const secrets = new HiddenSecrets(hidden);
    const hide = async <T>(value: T): Promise<T> =>
      (await this.searches.run(call, secrets.searchValue(value))) as T;
    return {
      input,
      hasSecrets: true,
      headers,
      hide,
      hideInError: async (error) => {
        if (!(error instanceof AppError)) return error;
        const { code, cause, ...extras } = error;
        const { message, details } = await hide({ message: error.message, details: error.details });
        return new AppError(code, message, { ...extras, details, cause });
      },
      hideIn: async (bytes) => await this.searches.run(call, secrets.searchBytes(bytes)),
    };
  }

  private async headerOf(
    organizationId: string,
    secret: StoredSecret,
  ): Promise<readonly [name: string, value: string]> {
    const { content } = secret;
    if (content.kind === 'header') return [content.header!, content.secret];
    if (content.kind === 'basic') {
      const pair = `${content.username}:${content.secret}`;
      return ['Authorization', `Basic ${Buffer.from(pair).toString('base64')}`];
    }
    const token = await this.tokens.get(organizationId, secret);
    return content.header ? [content.header, token] : ['Authorization', `Bearer ${token}`];
  }
}

/**
 * Returns true if the host and port of a URL contain the secret, with or without the padding of Base64. Returns false
 * for a short secret, because many hosts contain it by chance.
 */
function isIn(secret: string, authority: string): boolean {
  const text = secret.replace(/={1,2}$/, '').toLowerCase();
  return text.length >= SHORTEST && authority.toLowerCase().includes(text);
}

function missing(name: string, known: ReadonlyMap<string, unknown>): never {
  throw AppError.invalid(
    `There is no secret "${name}". Create it in Settings → Secrets.${didYouMean(name, [...known.keys()])}`,
  );
}

function assertKind({ name, content }: StoredSecret, isInText: boolean): void {
  if ((content.kind === 'value') === isInText) return;
  throw AppError.invalid(
    isInText
      ? `The secret "${name}" has the kind "${content.kind}". Use it as the credential of the request.`
      : `The secret "${name}" has the kind "value". Use it as {{ secrets.${name} }}.`,
  );
}

function assertHost({ name, content }: { name: string; content: SecretContent }, host: string) {
  if (mayReceive(content, host)) return;
  throw AppError.invalidField(
    'url',
    `must lead to a host that may receive the secret "${name}": ${content.hosts.join(', ')}`,
  );
}

/** Returns a JSON value with every text replaced. Calls `checkName` with the names of all members, which it keeps. */
function mapTexts<T>(
  value: T,
  replace: (text: string) => string,
  checkName: (name: string) => void,
): T;
function mapTexts(
  value: unknown,
  replace: (text: string) => string,
  checkName: (name: string) => void,
): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace, checkName));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      checkName(name);
      return [name, mapTexts(item, replace, checkName)];
    }),
  );
}
