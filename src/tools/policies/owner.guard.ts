import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts.service.js';
import { AppError } from '../../errors/app-error.js';
import type { ToolCall } from '../contract/tool-call.js';

/** Lets only owners of the organization call a tool. Agents and runs are refused. */
@Injectable()
export class OwnerGuard implements CanActivate {
  constructor(private readonly accounts: AccountsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const [, { actor, organizationId }] = context.getArgs<[unknown, ToolCall]>();
    const account =
      actor.kind === 'user' ? await this.accounts.find(actor.id, organizationId) : null;
    if (account?.role === 'owner') return true;
    throw new AppError('forbidden', 'Only an owner of the organization may call this tool.');
  }
}
