// Formats the times of application starts as Markdown.
import { spread, table } from './tables.mjs';

export function bootSection({ rows }) {
  return [
    '## Boot with many tools',
    'The time of a boot is measured from the creation of the application until the application listens; its code is loaded and its database is prepared before. In this time the registry finds, validates and describes every tool. The time of a first list is measured from the spawn of the process to the first response to `tools/list`, on a prepared database.',
    '',
    ...table(
      ['tools', 'boot ms (least – most)', 'spawn to first list ms (least – most)'],
      0,
      rows.map(({ tools, boots, starts }) => [tools, spread(boots), spread(starts)]),
    ),
  ];
}
