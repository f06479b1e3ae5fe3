import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AppError, type ToolCall } from 'switchboard';
import { DealLimit } from './deal-limit.js';

/** Refuses large deals from agents and workflows, so that only people can record them. */
@Injectable()
export class DealLimitGuard implements CanActivate {
  constructor(private readonly limit: DealLimit) {}

  canActivate(context: ExecutionContext): boolean {
    // Guards run before validation, so the arguments can have any type.
    const [given, call] = context.getArgs<[{ amount?: unknown } | null | undefined, ToolCall]>();
    const amount = Number(given?.amount);
    if (call.surface === 'dashboard' || !(amount > this.limit.amount)) return true;
    throw new AppError(
      'forbidden',
      `A deal above ${this.limit.amount} must be recorded by a person.`,
    );
  }
}
