/** The placeholder in a snippet that the person replaces with the key. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';
const NAME = 'switchboard';

/** The values that a program needs to connect. */
export interface Access {
  /** The address of this Switchboard without a slash at its end. */
  origin: string;
  /** The key, which is known only just after its creation. */
  key?: string | undefined;
}

const endpoint = ({ origin }: Access): string => `${origin}/api/mcp`;
const bearer = ({ key = KEY_PLACEHOLDER }: Access): string => `Bearer ${key}`;
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

export function claudeCode(access: Access): string {
  return `claude mcp add --transport http ${NAME} ${endpoint(access)} --header "Authorization: ${bearer(access)}"`;
}

export function cursorFile(access: Access): string {
  const server = { url: endpoint(access), headers: { Authorization: bearer(access) } };
  return pretty({ mcpServers: { [NAME]: server } });
}

function vscodeServer(access: Access) {
  return { type: 'http', url: endpoint(access), headers: { Authorization: bearer(access) } };
}

export function vscodeFile(access: Access): string {
  return pretty({ servers: { [NAME]: vscodeServer(access) } });
}

/** Returns a link that opens VS Code and asks there whether to install the server. */
export function vscodeLink(access: Access): string {
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: NAME, ...vscodeServer(access) }))}`;
}

export function inspector(access: Access): string {
  return `npx @modelcontextprotocol/inspector@2.12.0 --cli ${endpoint(access)} --transport http --method tools/list --header "Authorization: ${bearer(access)}"`;
}

/**
 * Returns a curl command that calls a tool. A quote in an argument is escaped, so it cannot end the quotes around the
 * body.
 */
export function curl(
  access: Access,
  tool = 'search_contacts',
  given: Readonly<Record<string, unknown>> = { limit: 1 },
): string {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: given },
  };
  const body = JSON.stringify(call).replaceAll("'", String.raw`\u0027`);
  return [
    `curl -s ${endpoint(access)}`,
    `-H 'Authorization: ${bearer(access)}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${body}'`,
  ].join(' \\\n  ');
}
