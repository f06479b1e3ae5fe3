// Formats the times of application starts as Markdown.
import { spread, table } from './tables.mjs';

export function bootSection({ rows }) {
  return [
    '## Boot with many tools',
    'From the making of the application, its code loaded and its database ready, until it listens: the registry finds, checks and describes every tool meanwhile. Then from the spawn of the process to its first answered `tools/list`, on a database that is ready.',
    '',
    ...table(
      ['tools', 'boot ms (least – most)', 'spawn to first list ms (least – most)'],
      0,
      rows.map(({ tools, boots, starts }) => [tools, spread(boots), spread(starts)]),
    ),
  ];
}
