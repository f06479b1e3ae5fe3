// Formats the times of application starts as Markdown.
import { spread, table } from './tables.mjs';

export function bootSection({ rows }) {
  return [
    '## Boot with many tools',
    'Boot: from the creation of the application, with code loaded and database prepared, until it listens. In this time the registry finds, validates and describes every tool. Spawn to first list: from the spawn of the process to the first response to `tools/list`, on a prepared database.',
    '',
    ...table(
      ['tools', 'boot ms (least – most)', 'spawn to first list ms (least – most)'],
      0,
      rows.map(({ tools, boots, starts }) => [tools, spread(boots), spread(starts)]),
    ),
  ];
}
