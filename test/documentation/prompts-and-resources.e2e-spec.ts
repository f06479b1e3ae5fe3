import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ToolPolicies } from '../../src/policies/tool-policies.js';
import { PromptRegistry } from '../../src/prompts/prompt-registry.js';
import type { PromptDescriptor } from '../../src/prompts/prompt.decorator.js';
import type { ResourceDescriptor } from '../../src/resources/resource.decorator.js';
import { ResourceRegistry } from '../../src/resources/resource-registry.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { markdownTable } from './support/markdown-table.js';

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
    const expected = `${written}${lists}\n`;
    if (process.env.UPDATE_DOCS) writeFileSync(FILE, expected);
    expect(readFileSync(FILE, 'utf8')).toBe(expected);
  });
});

function resourceTable(resources: (ResourceDescriptor & { uri: string })[]): string {
  return markdownTable(
    ['URI', 'Name', ''],
    resources.map(({ uri, name, description }) => [`\`${uri}\``, name, description]),
  );
}

function promptSection({ name, title, description, arguments: given }: PromptDescriptor): string {
  return [
    `### ${name}`,
    `**${title}.** ${description}`,
    markdownTable(
      ['Argument', 'Required', ''],
      given.map((argument) => [
        `\`${argument.name}\``,
        argument.required ? 'yes' : '',
        argument.description ?? '',
      ]),
    ),
  ].join('\n\n');
}
