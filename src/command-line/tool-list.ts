import { unknownName } from '../text/nearest-names.js';
import type { JsonSchema } from '../tools/schema/json-schema.js';
import { CommandError } from './command-error.js';
import { describeArguments } from './schema-text.js';
import type { ServiceClient } from './service-client.js';
import { safeLine, type Terminal } from './terminal.js';
import { callMethod } from './tool-calls.js';

interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** Lists the tools that the key may call. */
export async function listTools(client: ServiceClient): Promise<ListedTool[]> {
  return (await callMethod<{ tools: ListedTool[] }>(client, 'tools/list')).tools;
}

/** Prints name and title of every tool. */
export async function printTools(client: ServiceClient, terminal: Terminal): Promise<number> {
  const tools = await listTools(client);
  const width = Math.max(0, ...tools.map(({ name }) => name.length));
  for (const { name, title, description } of tools) {
    terminal.print(`${name.padEnd(width)}  ${safeLine(title ?? description)}`);
  }
  if (tools.length === 0)
    terminal.report('This key may call no tool. Ask an owner for another key.');
  return 0;
}

/** Prints the description and the arguments of a tool. */
export async function printTool(
  client: ServiceClient,
  terminal: Terminal,
  name: string,
): Promise<number> {
  const tools = await listTools(client);
  const tool = tools.find((listed) => listed.name === name);
  if (!tool) {
    const names = tools.map((listed) => listed.name);
    throw new CommandError(
      `${unknownName('tool', name, names)} "switchboard tools" lists the tools.`,
    );
  }
  terminal.print(tool.title ? `${tool.name}: ${safeLine(tool.title)}` : tool.name);
  terminal.print('');
  terminal.print(safeLine(tool.description));
  terminal.print('');
  for (const line of describeArguments(tool.inputSchema)) terminal.print(line);
  return 0;
}

/**
 * Throws a {@link CommandError} with the reason when the key cannot call the tool. Lists do not show deprecated names, so
 * a name that is not listed is tried with a dry run.
 */
export async function assertCallable(client: ServiceClient, name: string): Promise<void> {
  if ((await listTools(client)).some((tool) => tool.name === name)) return;
  const _meta = { 'switchboard/dryRun': true };
  const answer = await callMethod<DryRunAnswer>(client, 'tools/call', { name, _meta });
  if (!answer.isError) return;
  const { error } = JSON.parse(answer.content[0].text) as DryRunFailure;
  if (error.code === 'forbidden') throw new CommandError(safeLine(error.message));
}

interface DryRunAnswer {
  readonly isError?: boolean;
  readonly content: readonly [{ readonly text: string }];
}

interface DryRunFailure {
  readonly error: { readonly code: string; readonly message: string };
}
