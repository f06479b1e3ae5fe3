import { expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { upload } from '../support/uploaded-import.js';
import { importFile } from './import.js';

const TABLES = ['imports', 'import_chunks', 'import_keys', 'import_faults'] as const;

it('an import is purged 14 days after its end. Its identifiers are purged when it ends, and an interrupted upload is purged after a day', async () => {
  const switchboard = await sharedSwitchboard();
  const acme = await createOrganization(switchboard);
  const { ownerQuery } = switchboard;
  const counts = async () => {
    const found: number[] = [];
    for (const table of TABLES) {
      const [row] = await ownerQuery<{ count: number }>(
        `select count(*)::integer as count from ${table} where organization_id = $1`,
        [acme.id],
      );
      found.push(row!.count);
    }
    return found;
  };
  const purge = async () => {
    for (let deleted = 1; deleted > 0;) {
      const [row] = await ownerQuery<{ deleted: number }>(
        'select gate.purge_imports(14, 1000) as deleted',
      );
      deleted = row!.deleted;
    }
  };
  const age = (id: string, days: number, status: string) =>
    ownerQuery(
      `update imports set created_at = now() - make_interval(days => $2), status = $3,
         finished_at = case when finished_at is not null then now() - make_interval(days => $2) end
       where id = $1`,
      [id, days, status],
    );
  const ended = await importFile(acme, 'email\na@example.com\nwrong\n');
  const interrupted = await upload(acme, 'email\na@example.com\n');
  expect(await counts()).toEqual([2, 2, 1, 1]);
  await age(ended.id, 13, 'completed');
  await purge();
  expect(await counts()).toEqual([2, 2, 0, 1]);
  await age(ended.id, 15, 'completed');
  await purge();
  expect(await counts()).toEqual([1, 1, 0, 0]);
  await age(interrupted.id, 2, 'uploading');
  await purge();
  expect(await counts()).toEqual([0, 0, 0, 0]);
});
