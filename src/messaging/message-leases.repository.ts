import { Injectable } from '@nestjs/common';
import { GateDatabase } from '../database/gate-database.js';
import { type Claim, LEASE_SECONDS } from '../queue/leased-worker.js';

interface ClaimRow {
  id: string;
  organization_id: string;
  epoch: number;
}

/** Leases on due messages of all organizations. Only ids leave the gate. */
@Injectable()
export class MessageLeasesRepository {
  constructor(private readonly gate: GateDatabase) {}

  async claim(limit: number, id?: string): Promise<Claim[]> {
    const rows = await this.gate.call<ClaimRow>('claim_messages', [
      limit,
      id ?? null,
      LEASE_SECONDS,
    ]);
    return rows.map(toClaim);
  }

  async renew(claims: Claim[]): Promise<Claim[]> {
    const rows = await this.gate.call<ClaimRow>('renew_messages', [
      ...keysOf(claims),
      LEASE_SECONDS,
    ]);
    return rows.map(toClaim);
  }

  async release(claims: Claim[]): Promise<void> {
    await this.gate.call('release_messages', keysOf(claims));
  }
}

function toClaim({ id, organization_id: organizationId, epoch }: ClaimRow): Claim {
  return { id, organizationId, epoch };
}

function keysOf(claims: Claim[]): [string[], number[]] {
  return [claims.map((claim) => claim.id), claims.map((claim) => claim.epoch)];
}
