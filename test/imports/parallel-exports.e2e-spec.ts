import { expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { importFile } from './import.js';

it('an organization can have at most three exports of contacts at the same time', async () => {
  const switchboard = await sharedSwitchboard();
  const acme = await createOrganization(switchboard);
  const rows = Array.from({ length: 200 }, (_, index) => `a${index}@example.com`);
  await importFile(acme, `email\n${rows.join('\n')}`);
  await switchboard.ownerQuery(
    `update contacts set properties = jsonb_build_object('note', repeat('x', 60000)) where organization_id = $1`,
    [acme.id],
  );

  // Nobody reads these responses, so the exports wait for their clients.
  const open = await Promise.all(
    Array.from({ length: 3 }, () => acme.fetch('/api/contacts/export.csv')),
  );
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
  const refused = await acme.fetch('/api/contacts/export.csv');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('Retry-After')).toBe('10');
  const other = await createOrganization(switchboard);
  expect((await other.fetch('/api/contacts/export.csv')).status).toBe(200);

  for (const response of open) await response.body!.cancel();
  const text = await waitFor(async () => {
    const response = await acme.fetch('/api/contacts/export.csv');
    return response.status === 200 ? await response.text() : undefined;
  });
  expect(text.trimEnd().split('\r\n')).toHaveLength(201);
});
