import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { HourlyPurge } from '../tools/hourly-purge.js';

const KEEP_DAYS = 30;

/** Deletes uploaded files after 30 days. Keeps a file as long as there is a message that sends it. */
@Injectable()
export class UploadRetention extends HourlyPurge {
  constructor(env: Env, gate: GateDatabase) {
    super(env, gate, 'purge_uploads', KEEP_DAYS);
  }
}
