import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ClaimedImportsService } from '../../src/imports/claimed-imports.service.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { describeSlow } from '../support/thorough.js';
import { upload } from '../support/uploaded-import.js';
import { NO_COUNTS, endOf } from './import.js';

const LONG_ROWS = 900;

/** Ends each turn after one part of a file. */
@Injectable()
class ShortTurns implements OnModuleInit {
  constructor(@Inject(ModuleRef) private readonly module: ModuleRef) {}

  onModuleInit(): void {
    this.module.get(ClaimedImportsService, { strict: false }).turnMs = 0;
  }
}

/** Returns a file that is imported in parts of about 300 rows. */
function longFile(): string {
  const rows = Array.from(
    { length: LONG_ROWS },
    (_, row) => `p${row}@example.com,${'x'.repeat(200)}`,
  );
  return ['email,properties.note', ...rows].join('\n');
}

describeSlow('imports that wait while long imports use both slots of a worker', () => {
  let web: Switchboard;
  let organizations: TestOrganization[];
  let worker: Switchboard | undefined;

  beforeEach(async () => {
    web = await startSwitchboard({ env: { ROLE: 'web' } });
    organizations = await Promise.all(Array.from({ length: 3 }, () => createOrganization(web)));
  });
  afterEach(async () => {
    await worker?.close();
    worker = undefined;
    await web.close();
  });

  const start = async (organization: TestOrganization, file: string): Promise<string> => {
    const { id } = await upload(organization, file);
    const { error } = await organization.call('start_import', { import_id: id });
    expect(error).toBeUndefined();
    return id;
  };
  const work = async (): Promise<void> => {
    worker = await startSwitchboard({
      databaseUrl: web.databaseUrl,
      env: { ROLE: 'worker', DATA_DIR: web.dataDir },
      providers: [ShortTurns],
    });
  };
  /** Returns the ids of imports in the order in which they ended. */
  const order = async (): Promise<string[]> => {
    const rows = await web.ownerQuery<{ id: string }>(
      'select id from imports order by finished_at',
    );
    return rows.map(({ id }) => id);
  };

  it('end before long imports of other organizations, and every row is imported once', async () => {
    const [acme, globex, initech] = organizations as [
      TestOrganization,
      TestOrganization,
      TestOrganization,
    ];
    const long = [await start(acme, longFile()), await start(globex, longFile())];
    const small = await start(initech, 'email\nsmall@example.com');
    await work();
    for (const [index, id] of long.entries()) {
      const done = await endOf(organizations[index]!, id);
      expect(done).toMatchObject({
        status: 'completed',
        processed: LONG_ROWS,
        counts: { ...NO_COUNTS, created: LONG_ROWS },
      });
    }
    await endOf(initech, small);
    expect((await order())[0]).toBe(small);
    const counts = await web.ownerQuery(
      'select count(*)::integer as count from contacts group by organization_id order by count',
    );
    expect(counts).toEqual([{ count: 1 }, { count: LONG_ROWS }, { count: LONG_ROWS }]);
  });

  it('end before the last of many short imports of other organizations', async () => {
    const [acme, globex, initech] = organizations as [
      TestOrganization,
      TestOrganization,
      TestOrganization,
    ];
    let last: string[] = [];
    for (let file = 0; file < 5; file += 1) {
      const text = `email\nm${file}@example.com`;
      last = [await start(acme, text), await start(globex, text)];
    }
    const small = await start(initech, 'email\nlate@example.com');
    await work();
    await endOf(initech, small);
    await endOf(acme, last[0]!);
    await endOf(globex, last[1]!);
    expect((await order()).indexOf(small)).toBeLessThan(8);
  });
});
