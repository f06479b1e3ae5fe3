import { stat } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { runCommand } from './support/command.js';
import { RowsFolder } from './support/rows-file.js';

let switchboard: Switchboard;
let acme: TestOrganization;
let folder: RowsFolder;
beforeAll(async () => {
  buildTree();
  switchboard = await startSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  folder = await RowsFolder.create();
});
afterEach(() => folder.remove());
afterAll(() => switchboard.close());

describe('switchboard call TOOL --file', () => {
  it('creates 10,000 contacts', async () => {
    const rows = Array.from({ length: 10_000 }, (_, n) => ({ email: `person${n}@example.com` }));
    const file = await folder.write('rows.jsonl', rows);
    const given = ['call', 'create_contact', '--file', file];
    const { code, stdout } = await runCommand(given, { url: switchboard.url, key: acme.key });
    expect(stdout).toContain('10000 rows: 10000 done, 0 rejected');
    expect(code).toBe(0);
    const [found] = await switchboard.ownerQuery<{ count: number }>(
      'select count(*)::int as count from contacts where organization_id = $1',
      [acme.id],
    );
    expect(found!.count).toBe(10_000);
  });

  it('needs no more memory for a large file than for a small one', async () => {
    const file = await folder.write('rows.jsonl', `${'x'.repeat(10_000)}\n`.repeat(10_000));
    const given = ['call', 'create_contact', '--file', file];
    const { code, stdout } = await runCommand(given, {
      url: switchboard.url,
      key: acme.key,
      // The file has 100 MB.
      nodeOptions: '--max-old-space-size=40',
    });
    expect(stdout).toContain('10000 rows: 0 done, 10000 rejected');
    expect(code).toBe(1);
    const { size } = await stat(file.replace('.jsonl', '.rejected.jsonl'));
    expect(size).toBeGreaterThan(100_000_000);
  });
});
