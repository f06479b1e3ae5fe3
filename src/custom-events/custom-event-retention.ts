import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { HourlyPurge } from '../tools/hourly-purge.js';

const KEEP_DAYS = 30;

/** Deletes emitted events after 30 days. Keeps at most the newest 10,000 events of each organization. */
@Injectable()
export class CustomEventRetention extends HourlyPurge {
  constructor(env: Env, gate: GateDatabase) {
    super(env, gate, 'purge_custom_events', KEEP_DAYS);
  }
}
