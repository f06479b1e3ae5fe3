import type { DomainEvent } from '../../events/domain-events.js';
import type { RunFacts } from '../journal/claimed-run.js';

/** What happens when a run has failed; the run is its own cause. */
export function runFailed(
  run: Omit<RunFacts, 'organizationId' | 'depth' | 'crashes'>,
  workflowName: string,
  reason: string,
): DomainEvent {
  const { id, workflowId, workflowVersion, contactId, triggerType } = run;
  return {
    name: 'run.failed',
    contactId,
    runId: id,
    payload: {
      event: 'run.failed',
      run: {
        id,
        workflow_id: workflowId,
        workflow_version: workflowVersion,
        status: 'failed',
        reason,
        trigger: { type: triggerType },
        contact_id: contactId,
      },
      workflow: { id: workflowId, name: workflowName },
    },
  };
}
