import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createContact, send } from './support.js';

const HOSTILE = `<script>alert(1)</script> & "quotes" <img src=x onerror=alert(2)> https://evil.example/`;

describe('GET /api/messages/:id/preview', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let id: string;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
    const { id: contactId } = await createContact(acme);
    ({ id } = await send(acme, { contact_id: contactId, subject: '</title><b>x', body: HOSTILE }));
  });

  it('returns the text as HTML in which nothing is markup', async () => {
    const response = await acme.fetch(`/api/messages/${id}/preview`);
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot;');
    expect(html).toContain('&lt;/title&gt;&lt;b&gt;x');
    expect(html).not.toMatch(/<(script|img|a|b)\b/);
  });

  it('may neither run scripts nor load anything, is not cached, and may be framed by Switchboard only', async () => {
    const { headers } = await acme.fetch(`/api/messages/${id}/preview`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    });
  });

  it('returns the same response for a message of another organization and for an unknown id', async () => {
    const globex = await createOrganization(switchboard);
    const [foreign, unknown] = [
      await globex.fetch(`/api/messages/${id}/preview`),
      await globex.fetch('/api/messages/msg_unknown/preview'),
    ];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(await foreign.text()).toBe(await unknown.text());
    expect((await acme.fetch('/api/messages/%00/preview')).status).toBe(404);
  });

  it('needs a session, and accepts no API key', async () => {
    const url = `${switchboard.url}/api/messages/${id}/preview`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { Authorization: `Bearer ${acme.key}` } })).status).toBe(
      401,
    );
  });
});
