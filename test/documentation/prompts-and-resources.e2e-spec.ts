import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format } from 'prettier';
import { beforeAll, describe, expect, it } from 'vitest';
import { ToolPolicies } from '../../src/policies/tool-policies.js';
import { PromptRegistry } from '../../src/prompts/prompt-registry.js';
import type { PromptDescriptor } from '../../src/prompts/prompt.decorator.js';
import type { ResourceDescriptor } from '../../src/resources/resource.decorator.js';
import { ResourceRegistry } from '../../src/resources/resource-registry.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';

const FILE = resolve(import.meta.dirname, '../../docs/prompts-and-resources.md');

describe('docs/prompts-and-resources.md', () => {
  let switchboard: RunningSwitchboard;
  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
  });

  it('lists every prompt and resource of the registries (UPDATE_DOCS=1 updates the lists)', async () => {
    const prompts = switchboard.app.get(PromptRegistry).list(ToolPolicies.NONE);
    const resources = switchboard.app.get(ResourceRegistry);
    const lists = [
      '## Resources that come with Switchboard',
      resourceTable([
        ...resources.list(ToolPolicies.NONE),
        ...resources
          .templates(ToolPolicies.NONE)
          .map((template) => ({ ...template, uri: template.uriTemplate })),
      ]),
      '## Prompts that come with Switchboard',
      ...prompts.map(promptSection),
    ].join('\n\n');
    const current = readFileSync(FILE, 'utf8');
    const written = current.slice(0, current.indexOf('## Resources that come with'));
    const expected = await format(`${written}${lists}`, {
      parser: 'markdown',
      printWidth: 100,
      singleQuote: true,
    });
    if (process.env.UPDATE_DOCS) writeFileSync(FILE, expected);
    expect(readFileSync(FILE, 'utf8')).toBe(expected);
  });
});

function resourceTable(resources: (ResourceDescriptor & { uri: string })[]): string {
  return [
    '| URI | Name | |',
    '|---|---|---|',
    ...resources.map(({ uri, name, description }) => `| \`${uri}\` | ${name} | ${description} |`),
  ].join('\n');
}

function promptSection({ name, title, description, arguments: given }: PromptDescriptor): string {
  return [
    `### ${name}`,
    `**${title}.** ${description}`,
    [
      '| Argument | Required | |',
      '|---|---|---|',
      ...given.map((argument) => {
        const about = argument.description ?? '';
        return `| \`${argument.name}\` | ${argument.required ? 'yes' : ''} | ${about} |`;
      }),
    ].join('\n'),
  ].join('\n\n');
}
