import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors/app-error.js';
import { asSentence } from '../errors/as-sentence.js';
import { parseJson } from '../http/request-body.js';
import type { SecretContent } from '../secrets/secret-content.js';
import type { StoredSecret } from '../secrets/secrets.service.js';
import { visibleLine } from '../text/visible-line.js';
import { HiddenSecrets } from './hidden-secrets.js';
import { OutboundClient } from './outbound-client.js';

const MOST_TOKENS = 1000;
/** The seconds for which a token without `expires_in` is used. */
const DEFAULT_SECONDS = 300;
const MOST_SECONDS = 86_400;
/** A token is replaced this many seconds before it expires, because a request with the token takes time too. */
const EARLY_SECONDS = 30;
/** The largest number of characters that an error quotes from the answer of a token URL. */
const MOST_REASON = 300;
/** The largest answer of a token URL that is searched for the reason of an error, in bytes. */
const MOST_ERROR_BYTES = 16 * 1024;

/**
 * Gets access tokens of OAuth 2.0 client credentials (RFC 6749, 4.4) and keeps them until shortly before they expire.
 * A changed secret gets a new token.
 */
@Injectable()
export class OAuthTokens {
  private readonly tokens = new LRUCache<string, Promise<string>>({ max: MOST_TOKENS });

  constructor(private readonly client: OutboundClient) {}

  /**
   * Returns a token for the secret. Throws `rejected` when the token URL refuses the client, and `unavailable` when the
   * token URL does not answer.
   */
  async get(organizationId: string, secret: StoredSecret): Promise<string> {
    const key = keyOf(organizationId, secret);
    const known = this.tokens.get(key);
    if (known) return await known;
    const token = this.request(key, secret);
    // Steps that need the token at the same time share one request.
    this.tokens.set(key, token);
    token.catch(() => this.tokens.delete(key));
    return await token;
  }

  /** Makes the next call of {@link get} request a new token. */
  forget(organizationId: string, secret: StoredSecret): void {
    this.tokens.delete(keyOf(organizationId, secret));
  }

  private async request(key: string, { name, content }: StoredSecret): Promise<string> {
    const isInBody = content.client_auth === 'body';
    const response = await this.client.send({
      method: 'POST',
      url: content.token_url!,
      headers: {
        accept: 'application/json',
        'user-agent': 'Switchboard',
        'content-type': 'application/x-www-form-urlencoded',
        'accept-encoding': 'identity',
        ...(!isInBody && { authorization: clientAuthorization(content) }),
      },
      body: Buffer.from(
        new URLSearchParams({
          grant_type: 'client_credentials',
          ...(content.scope && { scope: content.scope }),
          ...(isInBody && { client_id: content.client_id!, client_secret: content.secret }),
        }).toString(),
      ),
      hasSecrets: true,
      // The signal of a caller must not end the request, because several steps may wait for it. The HTTP client ends
      // the request after its own time limit.
      signal: new AbortController().signal,
    });
    if (response.status !== 200) {
      const code = response.status === 429 || response.status >= 500 ? 'unavailable' : 'rejected';
      const reason = readReason(response.body, content);
      throw new AppError(
        code,
        `The token URL of the secret ${name} answered ${response.status}${reason ? `: ${asSentence(reason)}` : '.'}`,
      );
    }
    const { token, seconds } = readToken(response.body, name);
    const ttl = Math.max(seconds - EARLY_SECONDS, 1) * 1000;
    this.tokens.set(key, Promise.resolve(token), { ttl });
    return token;
  }
}

function keyOf(organizationId: string, { name, updatedAt }: StoredSecret): string {
  return `${organizationId} ${name} ${updatedAt.getTime()}`;
}

/** Returns the value of the header Authorization for HTTP Basic, with the encoding of RFC 6749, 2.3.1. */
function clientAuthorization({ client_id: id = '', secret }: SecretContent): string {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}

function readAnswer(body: Buffer): Record<string, unknown> {
  try {
    const answer: unknown = parseJson(body);
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/**
 * Returns the error and its description from the answer of a token URL (RFC 6749, 5.2), or an empty text if the answer
 * has no error. The returned text must not contain the secret. So the function also returns an empty text when the
 * answer is long, or when the error or its description repeats the client secret in plain or encoded form.
 */
function readReason(body: Buffer, content: SecretContent): string {
  if (body.length > MOST_ERROR_BYTES) return '';
  const { error, error_description: description } = readAnswer(body);
  const texts = [error, description].filter((text): text is string => typeof text === 'string');
  // Search the parsed text, because JSON can escape each letter. Search before the text is cut, because the cut may be
  // inside a secret. Also search the text as it is shown, because a control character becomes a space, which can
  // complete a secret.
  const reason = texts.join(', ');
  const shown = visibleLine(reason, reason.length);
  return [reason, shown].some((text) => repeatsSecret(text, content))
    ? ''
    : visibleLine(shown, MOST_REASON);
}

function repeatsSecret(text: string, content: SecretContent): boolean {
  const { secret } = content;
  const sent = [
    secret,
    visibleLine(secret, secret.length),
    clientAuthorization(content).slice('Basic '.length),
  ];
  const hidden = new HiddenSecrets(new Map(sent.map((one) => [one, ''])));
  return text.includes(secret) || hidden.inText(text) !== text;
}

function readToken(body: Buffer, name: string): { token: string; seconds: number } {
  const { access_token: token, token_type: type, expires_in: seconds } = readAnswer(body);
  if (typeof token !== 'string' || !/^[!-~]{1,8192}$/.test(token)) {
    throw new AppError('rejected', `The token URL of the secret ${name} returned no access token.`);
  }
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer') {
    throw new AppError('rejected', `The token of the secret ${name} is not a Bearer token.`);
  }
  const isNumber = typeof seconds === 'number' && seconds > 0;
  return { token, seconds: isNumber ? Math.min(seconds, MOST_SECONDS) : DEFAULT_SECONDS };
}
