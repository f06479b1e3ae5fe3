import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { upload } from '../support/uploaded-import.js';
import { rejectedRows, startAndWait } from './import.js';

it('the import of docs/contacts.md returns the documented answers', async () => {
  const acme = await createOrganization(await sharedSwitchboard());
  const text = await readFile('docs/contacts.md', 'utf8');
  const section = text.slice(text.indexOf('## Import'));
  const blocks = (language: string) =>
    [...section.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
      ([, block]) => block!,
    );
  const [file, rejected] = blocks('csv') as [string, string];
  const [answer, start] = blocks('json').map((block) => JSON.parse(block) as object);
  const counts = /"counts": (\{.*?\})/.exec(section)![1]!;
  const uploaded = await upload(acme, file);
  expect(uploaded).toMatchObject(answer!);
  const done = await startAndWait(acme, uploaded.id, { ...start, import_id: uploaded.id });
  expect(done.counts).toEqual(JSON.parse(counts));
  expect(await rejectedRows(acme, uploaded.id)).toEqual(rejected.trim().split('\n').slice(1));
});
