import { useTool } from '../../api/tools.ts';
import { workflowNames } from './run.readers.ts';

const MOST = 100;

/** Returns the names of the newest workflows by id. Runs of deleted ones show the id. */
export function useWorkflowNames(): ReadonlyMap<string, string> {
  const { data } = useTool('list_workflows', { limit: MOST }, workflowNames);
  return new Map(data?.workflows.map(({ id, name }) => [id, name]));
}
