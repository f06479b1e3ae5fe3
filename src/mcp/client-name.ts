import { isJsonObject } from '../text/is-json-object.js';
import { visibleLine } from '../text/visible-line.js';
import { metaOf } from './json-rpc.js';

const MAX_LENGTH = 200;
const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';

/**
 * Returns the name and version that an MCP client gave in `initialize` or in `_meta`, without control characters and
 * cut to {@link MAX_LENGTH}.
 */
export function clientNameOf(message: unknown): string | undefined {
  if (!isJsonObject(message)) return undefined;
  const { method, params } = message;
  const isInitialize = method === 'initialize' && isJsonObject(params);
  const info = isInitialize ? params.clientInfo : metaOf(params)[CLIENT_INFO_KEY];
  if (!isJsonObject(info) || typeof info.name !== 'string') return undefined;
  const version = typeof info.version === 'string' ? ` ${info.version.slice(0, MAX_LENGTH)}` : '';
  return visibleLine(`${info.name.slice(0, MAX_LENGTH)}${version}`, MAX_LENGTH) || undefined;
}

/** Returns the User-Agent of a request, without control characters and cut to {@link MAX_LENGTH}. */
export function userAgentOf(header: string | undefined): string | undefined {
  return visibleLine(header ?? '', MAX_LENGTH) || undefined;
}
