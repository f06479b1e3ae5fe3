import { isObject } from '../../api/reader.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The service accepts secrets only in the arguments of this tool. */
export const SECRETS_TOOL = 'http_request';

/**
 * Returns the arguments of `http_request` with a secret. A secret of the kind `value` becomes a header, because it can
 * only be used in texts. Secrets of other kinds authenticate the request.
 */
export function withSecret(
  given: Arguments,
  { name, kind }: { name: string; kind: string },
): Arguments {
  if (kind !== 'value') return { ...given, credential: name };
  const headers = isObject(given.headers) ? given.headers : {};
  return { ...given, headers: { ...headers, Authorization: `Bearer {{ secrets.${name} }}` } };
}
