import { beforeAll, describe, expect, it } from 'vitest';
import { IdempotencyRetention } from '../../src/tools/idempotency/idempotency-retention.js';
import { createOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';

describe(IdempotencyRetention.name, () => {
  let switchboard: RunningSwitchboard;
  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
  });

  it('deletes only keys older than seven days, of every organization', async () => {
    const organizations = [
      await createOrganization(switchboard),
      await createOrganization(switchboard),
    ];
    for (const { id } of organizations) {
      await switchboard.ownerQuery(
        `insert into idempotency_keys (organization_id, tool, key, fingerprint, created_at)
         select $1, 'send_message', n::text, ''::bytea, now() - interval '8 days' from generate_series(1, 1200) n
         union all select $1, 'send_message', 'young', ''::bytea, now() - interval '6 days'`,
        [id],
      );
    }
    await switchboard.app.get(IdempotencyRetention).purge();
    const left = await switchboard.ownerQuery(
      'select key from idempotency_keys where organization_id = any($1)',
      [organizations.map(({ id }) => id)],
    );
    expect(left).toHaveLength(2);
    expect(left.every((row) => row.key === 'young')).toBe(true);
  });
});
