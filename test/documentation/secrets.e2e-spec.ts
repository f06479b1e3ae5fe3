import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SECRET_KINDS } from '../../src/secrets/secret-content.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/secrets.md'), 'utf8');
const [SECRET, WORKFLOW] = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(
  ([, text]) => JSON.parse(text!) as object,
);

describe('docs/secrets.md', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  it('has a secret and a workflow that can be saved without changes', async () => {
    expect((await acme.call('create_workflow', WORKFLOW)).status).toBe(422);
    expect((await acme.call('set_secret', SECRET)).status).toBe(200);
    expect((await acme.call('create_workflow', WORKFLOW)).status).toBe(200);
  });

  it('names every kind of secret', () => {
    const rows = [...PAGE.matchAll(/^\| `(\w+)`/gm)].map(([, kind]) => kind);
    expect(rows).toEqual(['kind', ...SECRET_KINDS]);
  });
});
