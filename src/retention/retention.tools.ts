import { Injectable, UseGuards } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../tools/policies/owner.guard.js';
import { RETENTION_KINDS } from './retention-rule.entity.js';
import { GetRetentionInput, SetRetentionInput } from './retention.inputs.js';
import { RetentionRepository } from './retention.repository.js';
import { RetentionResult } from './retention.results.js';

@Injectable()
export class RetentionTools {
  constructor(private readonly rules: RetentionRepository) {}

  @Tool({
    name: 'get_retention',
    title: 'Get the retention',
    description: 'Returns for how many days runs, messages and logs are kept.',
    output: RetentionResult,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async get(_input: GetRetentionInput, { organizationId }: ToolCall): Promise<RetentionResult> {
    const rules = await this.rules.list(organizationId);
    const daysOf = new Map(rules.map(({ kind, days }) => [kind, days]));
    return {
      retention: {
        runs_days: daysOf.get('runs') ?? null,
        messages_days: daysOf.get('messages') ?? null,
        webhook_deliveries_days: daysOf.get('webhook_deliveries') ?? null,
        audit_log_days: daysOf.get('audit_log') ?? null,
      },
    };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'set_retention',
    title: 'Set the retention',
    description:
      'Sets for how many days ended runs, messages and logs are kept. Older rows are deleted permanently, ' +
      'starting within a minute. Absent settings stay unchanged.',
    output: RetentionResult,
    destructive: true,
    idempotent: true,
    surfaces: ['dashboard'],
  })
  async set(input: SetRetentionInput, call: ToolCall): Promise<RetentionResult> {
    for (const kind of RETENTION_KINDS) {
      const days = input[`${kind}_days`];
      if (days === null) await this.rules.delete(call.organizationId, kind);
      else if (days !== undefined) await this.rules.set(call.organizationId, kind, days);
    }
    return await this.get({}, call);
  }
}
