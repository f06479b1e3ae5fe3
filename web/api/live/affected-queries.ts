import { isObject } from '../reader.ts';
import type { Change } from './change.ts';

interface Subject {
  /** The words by which the tools that read this kind of row are found: their names have one of these words. */
  words: readonly string[];
  /** The argument that names one row. Without this argument, a tool reads several rows. */
  argument?: string;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  runs: { words: ['run', 'runs'], argument: 'run_id' },
  messages: { words: ['message', 'messages'], argument: 'message_id' },
  contacts: { words: ['contact', 'contacts', 'consent', 'subscriptions'], argument: 'contact_id' },
  segments: { words: ['segment', 'segments'], argument: 'segment_id' },
  templates: { words: ['template', 'templates'], argument: 'template_id' },
  snippets: { words: ['snippet', 'snippets'] },
  workflows: { words: ['workflow', 'workflows'], argument: 'workflow_id' },
  deliveries: { words: ['delivery', 'deliveries'], argument: 'workflow_id' },
  confirmations: { words: ['confirmation', 'confirmations'] },
  tools: { words: ['tool', 'policies'] },
};

/** Returns true when the answer of a query may be different after these changes. */
export function isAffected(queryKey: readonly unknown[], changes: readonly Change[]): boolean {
  const [kind, tool, given] = queryKey;
  if (kind === 'tools') return changes.some((change) => change.kind === 'tools');
  // A change by an agent also changes the last use of the key, which the page shows.
  if (kind === 'key') return changes.length > 0;
  if (kind !== 'tool' || typeof tool !== 'string') return false;
  const words = tool.split('_');
  return changes.some((change) => {
    const subject = SUBJECTS[change.kind];
    if (!subject?.words.some((word) => words.includes(word))) return false;
    const id = subject.argument && isObject(given) ? given[subject.argument] : undefined;
    return change.id === undefined || typeof id !== 'string' || id === change.id;
  });
}
