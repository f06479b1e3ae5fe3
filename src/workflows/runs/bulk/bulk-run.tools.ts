import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../../../tools/contract/tool-call.js';
import { Tool } from '../../../tools/contract/tool.decorator.js';
import { RUN_STATUSES } from '../../journal/run.entity.js';
import { RunControlService } from '../run-control.service.js';
import { UNFINISHED } from '../run-filter.js';
import { BulkReplayRunsInput, BulkRetryRunsInput, BulkRunsInput } from '../run.inputs.js';
import { BulkRunsResult } from './bulk-run.results.js';
import { BulkRunsService } from './bulk-runs.service.js';

const CANCEL = 'bulk_cancel_runs';
const RETRY = 'bulk_retry_runs';
const REPLAY = 'bulk_replay_runs';

/**
 * Provides the tools that change many runs in one call. There are three tools, so that each tool can have its own
 * policy.
 */
@Injectable()
export class BulkRunTools {
  constructor(
    private readonly bulk: BulkRunsService,
    private readonly control: RunControlService,
  ) {}

  @Tool({
    name: CANCEL,
    title: 'Cancel many runs',
    description:
      'Cancels the matching runs that have not ended. Finished steps are not undone. Either all changes ' +
      'happen or none; each run has its own entry in the audit log.',
    output: BulkRunsResult,
    destructive: true,
    surfaces: ['dashboard'],
  })
  cancel(input: BulkRunsInput, call: ToolCall): Promise<BulkRunsResult> {
    return this.bulk.perform(call, input, {
      action: CANCEL,
      statuses: { byDefault: UNFINISHED, possible: UNFINISHED },
      isRateLimited: false,
      work: (ids) => this.control.cancelAll(call.organizationId, ids),
    });
  }

  @Tool({
    name: RETRY,
    title: 'Retry many runs',
    description:
      'Continues the matching failed runs from the failed step, or canceled runs if status is canceled. Each ' +
      'counts as a call against the rate limit. Either all changes happen or none.',
    output: BulkRunsResult,
    surfaces: ['dashboard'],
  })
  retry(input: BulkRetryRunsInput, call: ToolCall): Promise<BulkRunsResult> {
    return this.bulk.perform(call, input, {
      action: RETRY,
      statuses: { byDefault: ['failed'], possible: ['failed', 'canceled'] },
      isRateLimited: true,
      work: (ids) => this.control.retryAll(call.organizationId, ids, input.version),
    });
  }

  @Tool({
    name: REPLAY,
    title: 'Replay many runs',
    description:
      'Starts a copy of each matching run, with its payload, contact and type of trigger. Each counts as a ' +
      'call against the rate limit. Either all changes happen or none. Use an idempotency_key: a second call ' +
      'would start them again.',
    output: BulkRunsResult,
    surfaces: ['dashboard'],
  })
  replay(input: BulkReplayRunsInput, call: ToolCall): Promise<BulkRunsResult> {
    return this.bulk.perform(call, input, {
      action: REPLAY,
      statuses: { byDefault: RUN_STATUSES, possible: RUN_STATUSES },
      isRateLimited: true,
      work: (ids) => this.control.replayAll(call.organizationId, ids, input.version),
    });
  }
}
