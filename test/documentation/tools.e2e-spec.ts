import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ToolRegistry } from '../../src/tools/registry/tool-registry.js';
import type { RegisteredTool } from '../../src/tools/registry/registered-tool.js';
import type { Surface } from '../../src/tools/contract/tool-call.js';
import type { JsonSchema } from '../../src/tools/schema/json-schema.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { markdownTable } from './support/markdown-table.js';

const FILE = resolve(import.meta.dirname, '../../docs/tools.md');

describe('docs/tools.md', () => {
  let switchboard: Switchboard;
  beforeAll(async () => {
    switchboard = await startSwitchboard();
  });
  afterAll(() => switchboard.close());

  it('describes the tools of the registry (UPDATE_DOCS=1 updates the page)', async () => {
    const tools = switchboard.app.get(ToolRegistry).all();
    const expected = `${page(tools)}\n`;
    if (process.env.UPDATE_DOCS) writeFileSync(FILE, expected);
    expect(readFileSync(FILE, 'utf8')).toBe(expected);
  });
});

function page(tools: readonly RegisteredTool[]): string {
  return [
    '# Tools',
    'The tools that come with Switchboard, for agents, workflow steps and signed-in people. This page is generated.',
    ...tools.map(section),
  ].join('\n\n');
}

function section({ descriptor, surfaces }: RegisteredTool): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = descriptor;
  const kind = annotations.readOnlyHint
    ? 'Reads only.'
    : annotations.destructiveHint
      ? 'Changes data, and cannot be undone.'
      : 'Changes data.';
  const rows = Object.entries(inputSchema.properties).map(([argument, schema]) => [
    `\`${argument}\``,
    typeOf(schema),
    inputSchema.required?.includes(argument) ? 'yes' : '',
    cell(schema),
  ]);
  return [
    `## ${name}`,
    `**${title}.** ${description} ${kind}${surfaces.has('agent') ? '' : onlyFor(surfaces)}`,
    rows.length > 0
      ? markdownTable(['Argument', 'Type', 'Required', ''], rows)
      : 'Takes no arguments.',
    `Returns ${Object.keys(outputSchema?.properties ?? { content: {} })
      .map((property) => `\`${property}\``)
      .join(', ')}.`,
  ].join('\n\n');
}

function onlyFor(surfaces: ReadonlySet<Surface>): string {
  if (!surfaces.has('workflow')) return ' Only for signed-in people.';
  const people = surfaces.has('dashboard') ? 'signed-in people and ' : '';
  return ` Only for ${people}steps of workflows.`;
}

function typeOf(schema: JsonSchema): string {
  const type = [schema.type].flat().join(' or ');
  return schema.items ? `array of ${typeOf(schema.items)}` : type;
}

function cell(schema: JsonSchema): string {
  const parts = [schema.description ?? ''];
  if (schema.enum)
    parts.push(`One of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}.`);
  if (schema.default !== undefined) parts.push(`Default: \`${JSON.stringify(schema.default)}\`.`);
  return parts.filter(Boolean).join(' ');
}
