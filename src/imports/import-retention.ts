import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { HourlyPurge } from '../tools/hourly-purge.js';

const KEEP_DAYS = 14;

/** Deletes imports with their files 14 days after they ended. */
@Injectable()
export class ImportRetention extends HourlyPurge {
  constructor(env: Env, gate: GateDatabase) {
    super(env, gate, 'purge_imports', KEEP_DAYS);
  }
}
