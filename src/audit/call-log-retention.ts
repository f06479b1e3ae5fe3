import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { HourlyPurge } from '../tools/hourly-purge.js';

const KEEP_DAYS = 7;

/** Deletes rows of the log of calls after seven days. */
@Injectable()
export class CallLogRetention extends HourlyPurge {
  constructor(env: Env, gate: GateDatabase) {
    super(env, gate, 'purge_call_log', KEEP_DAYS);
  }
}
