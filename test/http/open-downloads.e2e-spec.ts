import { expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

it('an organization can have at most 20 downloads at the same time', async () => {
  const switchboard = await sharedSwitchboard();
  const acme = await createOrganization(switchboard);
  const uploaded = await fetch(`${switchboard.url}/api/files`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'application/octet-stream' },
    body: Buffer.alloc(10 * 1024 * 1024, 'x'),
  });
  const { file } = (await uploaded.json()) as { file: { id: string } };
  const path = `/api/files/${file.id}`;

  // Nobody reads these responses, so the downloads wait for their clients.
  const open = await Promise.all(Array.from({ length: 20 }, () => acme.fetch(path)));
  expect(open.map(({ status }) => status)).toEqual(open.map(() => 200));
  const refused = await acme.fetch(path);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('Retry-After')).toBe('10');
  const other = await createOrganization(switchboard);
  expect((await other.fetch(path)).status).toBe(404);

  for (const response of open) await response.body!.cancel();
  const bytes = await waitFor(async () => {
    const response = await acme.fetch(path);
    return response.status === 200 ? await response.arrayBuffer() : undefined;
  });
  expect(bytes.byteLength).toBe(10 * 1024 * 1024);
});
