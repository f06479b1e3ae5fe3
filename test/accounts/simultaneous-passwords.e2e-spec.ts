import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countHashing, useRealCosts } from '../support/argon2.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

describe('simultaneous checks of passwords', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    useRealCosts(true);
    switchboard = await startSwitchboard({ env: { SIGN_IN_PER_MINUTE: '0' } });
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  it('run at most one at a time per core, and are refused when their queue is full', async () => {
    const counted = countHashing();
    const responses = await Promise.all(
      Array.from({ length: 300 }, () =>
        postJson(`${switchboard.url}/api/auth/sign-in`, { email: acme.email, password: 'a guess' }),
      ),
    );
    expect(counted.mostAtOnce()).toBeGreaterThan(0);
    expect(counted.mostAtOnce()).toBeLessThanOrEqual(availableParallelism());
    for (const response of responses) {
      expect([401, 503]).toContain(response.status);
      if (response.status === 503) {
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await response.json()).toMatchObject({ code: 'unavailable' });
      }
    }
    // All 300 requests were answered, so the queue is empty and a new check is accepted.
    const { email, password } = acme;
    const signedIn = await postJson(`${switchboard.url}/api/auth/sign-in`, { email, password });
    expect(signedIn.status).toBe(200);
  });
});
