import { Injectable } from '@nestjs/common';
import {
  Completion,
  type CompletionCall,
  MOST_COMPLETIONS,
} from '../../completions/completion.decorator.js';
import { RunsService } from './runs.service.js';

/** Proposes runs by their ids, the newest first. */
@Injectable()
export class RunCompletions {
  constructor(private readonly runs: RunsService) {}

  @Completion({ resource: 'switchboard://runs/{run_id}', argument: 'run_id', needs: ['list_runs'] })
  runIds(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    return this.runs.idsStartingWith(organizationId, text, undefined, MOST_COMPLETIONS + 1);
  }

  @Completion({ prompt: 'explain_failed_run', argument: 'run_id', needs: ['list_runs'] })
  failedRunIds(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    return this.runs.idsStartingWith(organizationId, text, 'failed', MOST_COMPLETIONS + 1);
  }
}
