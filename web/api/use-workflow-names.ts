import { useQuery } from '@tanstack/react-query';
import { nextCursor } from './page-readers.ts';
import { list, record, text } from './reader.ts';
import { callTool, useTool } from './tools.ts';

const workflowNames = record({
  workflows: list(record({ id: text, name: text })),
  next_cursor: nextCursor,
});

const ROWS = 100;
/** The largest number of pages of workflows that are read. Together they have 2,000 workflows, twice the quota. */
const MOST_PAGES = 20;

type Names = ReadonlyMap<string, string>;

/**
 * Returns the names of the newest workflows and of all `wanted` workflows, by id. Deleted workflows have no name, so
 * their runs show the id.
 */
export function useWorkflowNames(wanted: readonly (string | undefined)[]): Names {
  const { data } = useTool('list_workflows', { limit: ROWS }, workflowNames);
  const names = namesOf(data?.workflows ?? []);
  const missing = [...new Set(wanted)].filter((id) => id !== undefined && !names.has(id)).sort();
  const older = useQuery<Names>({
    queryKey: ['tool', 'list_workflows', { ids: missing }],
    queryFn: ({ signal }) => findNames(missing, data?.next_cursor, signal),
    enabled: missing.length > 0 && Boolean(data?.next_cursor),
  });
  return new Map([...names, ...(older.data ?? [])]);
}

/** Reads pages of workflows until it has the name of each of the `ids`. Returns only these names. */
async function findNames(
  ids: readonly (string | undefined)[],
  first: string | null | undefined,
  signal: AbortSignal,
): Promise<Names> {
  const found = new Map<string, string>();
  let cursor = first;
  for (let page = 0; page < MOST_PAGES && cursor && found.size < ids.length; page += 1) {
    const given = { limit: ROWS, cursor };
    // Each page needs the cursor of the previous page.
    // oxlint-disable-next-line no-await-in-loop
    const answer = await callTool('list_workflows', given, workflowNames, signal);
    for (const [id, name] of namesOf(answer.workflows)) if (ids.includes(id)) found.set(id, name);
    cursor = answer.next_cursor;
  }
  return found;
}

function namesOf(workflows: readonly { id: string; name: string }[]): Names {
  return new Map(workflows.map(({ id, name }) => [id, name]));
}
