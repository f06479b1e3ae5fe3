import { Injectable } from '@nestjs/common';
import {
  Completion,
  type CompletionCall,
  MOST_COMPLETIONS,
} from '../../completions/completion.decorator.js';
import { WorkflowsService } from './workflows.service.js';

/** Proposes webhook workflows by the beginning of their ids or names, the newest first. */
@Injectable()
export class WebhookCompletions {
  constructor(private readonly workflows: WorkflowsService) {}

  @Completion({
    resource: 'switchboard://workflows/{workflow_id}/deliveries',
    argument: 'workflow_id',
  })
  workflowIds(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    return this.workflows.webhooksStartingWith(organizationId, text, MOST_COMPLETIONS + 1);
  }
}
