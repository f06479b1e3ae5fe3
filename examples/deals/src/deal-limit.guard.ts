import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AppError, type ToolCall } from 'switchboard';
import { DealLimit } from './deal-limit.js';

/** Leaves large deals to people: agents and workflows are refused. */
@Injectable()
export class DealLimitGuard implements CanActivate {
  constructor(private readonly limit: DealLimit) {}

  canActivate(context: ExecutionContext): boolean {
    // Guards run before the arguments are checked, so these may be anything.
    const [given, call] = context.getArgs<[{ amount?: unknown } | null | undefined, ToolCall]>();
    const amount = Number(given?.amount);
    if (call.surface === 'dashboard' || !(amount > this.limit.amount)) return true;
    throw new AppError(
      'forbidden',
      `A deal above ${this.limit.amount} must be recorded by a person.`,
    );
  }
}
