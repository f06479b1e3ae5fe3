import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { upload } from '../support/uploaded-import.js';
import { NO_COUNTS, startAndWait } from './import.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const ERROR =
  'The stored file has a part or a delimiter that no upload has. Upload the file again.';
const setBytes = (bytes: string): string =>
  `update import_chunks set bytes = convert_to(${bytes}, 'UTF8') where import_id = $1`;

describe('an import whose rows SQL of a tool has replaced', () => {
  it.each([
    ['a part with 524,288 rows', setBytes(`repeat(E'a\\n', 524288)`)],
    ['a part with 501 rows', setBytes(`repeat(E'a\\n', 501)`)],
    ['a part that begins with empty lines', setBytes(`repeat(E'\\n', 1000000) || E'email\\na\\n'`)],
    ['a part of 300,000 empty lines', setBytes(`E'email\\n' || repeat(E'\\n', 300000)`)],
    ['a row of 10,000 cells', setBytes(`E'email\\n' || repeat(',', 10000)`)],
    ['a row of 300,000 bytes', setBytes(`E'email\\n' || repeat('a', 300000)`)],
    ['a quoted field without an end', setBytes(`E'email\\n"a'`)],
    ['an unknown delimiter', `update imports set delimiter = 'ai' where id = $1`],
    ['an empty delimiter', `update imports set delimiter = '' where id = $1`],
  ])('fails before it parses %s', async (_what, statement) => {
    const { id } = await upload(acme, 'email\nada@example.com\n');
    await switchboard.ownerQuery(statement, [id]);
    const mapping = { email: 'email' };
    expect(await startAndWait(acme, id, { mapping, match_by: 'email' })).toMatchObject({
      status: 'failed',
      error: ERROR,
      counts: NO_COUNTS,
    });
  });

  it('imports the parts before the replaced part', async () => {
    const rows = Array.from({ length: 600 }, (_, index) => `person${index}@example.com\n`);
    const { id } = await upload(acme, `email\n${rows.join('')}`);
    await switchboard.ownerQuery(
      `update import_chunks set bytes = convert_to(repeat(E'a\\n', 501), 'UTF8') where import_id = $1 and position = 1`,
      [id],
    );
    expect(await startAndWait(acme, id)).toMatchObject({
      status: 'failed',
      error: ERROR,
      counts: { ...NO_COUNTS, created: 499 },
    });
  });
});
