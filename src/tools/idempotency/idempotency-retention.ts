import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { GateDatabase } from '../../database/gate-database.js';
import { HourlyPurge } from '../hourly-purge.js';

export const KEEP_DAYS = 7;

/** Deletes idempotency keys that are older than seven days. */
@Injectable()
export class IdempotencyRetention extends HourlyPurge {
  constructor(env: Env, gate: GateDatabase) {
    super(env, gate, 'purge_idempotency_keys', KEEP_DAYS);
  }
}
