import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runQuotas } from '../../src/bootstrap/quotas.js';
import { parseEml } from '../messaging/parse-eml.js';
import { postJson } from '../support/post-json.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { describeSlow, itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';

const PUBLIC_URL = 'http://switchboard.test';
const PASSWORD = 'a long enough password';
const MAILS_A_DAY = 3;
let counter = 0;

const newAddress = (): string => {
  counter += 1;
  return `198.51.${counter >> 8}.${counter & 255}`;
};

interface Person {
  email: string;
  userId: string;
  organizationId: string;
  send(method: string, path: string, body?: unknown, address?: string): Promise<Response>;
}

interface View {
  email: string;
  is_verified: boolean;
  messages_a_day: number | null;
  verified_messages_a_day: number | null;
}

describe('the verification of an address', () => {
  let switchboard: Switchboard;

  beforeAll(async () => {
    switchboard = await startSwitchboard({
      env: {
        PUBLIC_URL,
        NEW_ORGANIZATION_MESSAGES: '2',
        VERIFIED_ORGANIZATION_MESSAGES: '5',
        VERIFICATION_MAILS_PER_DAY: String(MAILS_A_DAY),
        TRUSTED_PROXIES: '127.0.0.1',
      },
    });
  });
  afterAll(() => switchboard.close());

  const signUp = async (
    email = `owner${(counter += 1)}@example.com`,
    address = newAddress(),
    headers: Record<string, string> = {},
  ): Promise<Person> => {
    const response = await postJson(
      `${switchboard.url}/api/auth/sign-up`,
      { email, password: PASSWORD, organization_name: 'Win a prize at evil.example' },
      { 'X-Forwarded-For': address, ...headers },
    );
    expect(response.status).toBe(201);
    const { user, organization } = (await response.json()) as Record<string, { id: string }>;
    const cookie = response.headers.getSetCookie()[0]!.split(';')[0]!;
    const send: Person['send'] = (method, path, body, from = newAddress()) =>
      fetch(`${switchboard.url}${path}`, {
        method,
        headers: {
          Cookie: cookie,
          Origin: PUBLIC_URL,
          'Content-Type': 'application/json',
          'X-Forwarded-For': from,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    return { email, userId: user!.id, organizationId: organization!.id, send };
  };
  const view = async (person: Person): Promise<View> =>
    (await (await person.send('GET', '/api/auth/verification')).json()) as View;
  const mailAgain = (person: Person, address?: string) =>
    person.send('POST', '/api/auth/verification/mail', undefined, address);
  const verify = (person: Person, token: string) =>
    person.send('POST', '/api/auth/verification', { token });
  const mailsTo = async (email: string) => {
    const outbox = join(switchboard.dataDir, 'outbox');
    const names = (await readdir(outbox).catch(() => [])).filter((name) => !name.startsWith('.'));
    const texts = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')));
    return texts.map(parseEml).filter(({ headers }) => headers.get('to') === email);
  };
  const tokensOf = async (person: Person, count = 1): Promise<string[]> => {
    const mails = await waitFor(async () => {
      const found = await mailsTo(person.email);
      return found.length >= count ? found : undefined;
    });
    return mails.map(({ text }) => /\/verify#([0-9A-Za-z]{43})\s/.exec(text)![1]!);
  };
  const tokenOf = async (person: Person): Promise<string> => (await tokensOf(person))[0]!;
  const send = (person: Person) =>
    person.send('POST', '/api/tools/send_message', {
      email: 'a@example.com',
      subject: 'Hi',
      body: 'Hello',
    });
  const expectRefused = async (response: Response, person: Person): Promise<void> => {
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      code: 'invalid_arguments',
      errors: expect.arrayContaining([expect.objectContaining({ path: 'token' })]) as unknown,
    });
    expect((await view(person)).is_verified).toBe(false);
  };

  it('raises the daily quota of an organization that signed up, and is in the audit log', async () => {
    const ada = await signUp();
    await ada.send('POST', '/api/tools/create_contact', { email: 'a@example.com' });
    expect(await view(ada)).toEqual({
      email: ada.email,
      is_verified: false,
      messages_a_day: 2,
      verified_messages_a_day: 5,
    });
    const before = [await send(ada), await send(ada), await send(ada)];
    expect(before.map(({ status }) => status)).toEqual([200, 200, 429]);
    const address = newAddress();
    const token = await tokenOf(ada);
    const verified = await ada.send('POST', '/api/auth/verification', { token }, address);
    expect(verified.status).toBe(200);
    const after = { is_verified: true, messages_a_day: null, verified_messages_a_day: null };
    expect(await verified.json()).toEqual({ email: ada.email, ...after });
    const more = [await send(ada), await send(ada), await send(ada), await send(ada)];
    expect(more.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const entries = await switchboard.ownerQuery(
      `select actor_kind, actor_id, outcome, address, request_id from audit_log
       where organization_id = $1 and action = 'verify_address'`,
      [ada.organizationId],
    );
    expect(entries).toEqual([
      {
        actor_kind: 'user',
        actor_id: ada.userId,
        outcome: 'ok',
        address,
        request_id: verified.headers.get('x-request-id'),
      },
    ]);
    expect((await mailAgain(ada)).status).toBe(409);
  });

  it('begins with a mail that has a link to PUBLIC_URL, and no text that the person chose', async () => {
    const headers = { 'X-Forwarded-Host': 'evil.example', 'Accept-Language': 'de' };
    const ada = await signUp(undefined, undefined, headers);
    const token = await tokenOf(ada);
    const [mail] = await mailsTo(ada.email);
    expect(mail!.text).toContain(`${PUBLIC_URL}/verify#${token}`);
    expect(mail!.text).toContain('drücken auf den Knopf');
    expect(JSON.stringify([...mail!.headers, mail!.text])).not.toMatch(/evil|prize/);
    const [stored] = await switchboard.ownerQuery<{ rows: string }>(
      'select json_agg(v)::text as rows from gate.address_verifications v',
    );
    expect(stored!.rows).not.toContain(token);
    expect(stored!.rows).not.toContain(Buffer.from(token).toString('hex'));
  });

  it('refuses a forged token, and records the attempt', async () => {
    const ada = await signUp();
    const token = await tokenOf(ada);
    const forged = [`${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`, `${token} `, 'x'];
    for (const each of forged) await expectRefused(await verify(ada, each), ada);
    for (const body of [{}, { token: null }, { token: { $ne: '' } }, { token: 'x'.repeat(201) }]) {
      await expectRefused(await ada.send('POST', '/api/auth/verification', body), ada);
    }
    expect((await verify(ada, '\0')).status).toBe(422);
    const attempts = await waitFor(async () => {
      const rows = await switchboard.ownerQuery(
        `select outcome from audit_log where organization_id = $1 and action = 'verify_address'`,
        [ada.organizationId],
      );
      return rows.length >= forged.length ? rows : undefined;
    });
    expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['invalid_arguments']));
    expect((await verify(ada, token)).status).toBe(200);
  });

  it('refuses an expired token', async () => {
    const ada = await signUp();
    const token = await tokenOf(ada);
    await switchboard.ownerQuery(
      `update gate.address_verifications set expires_at = now() where user_id = $1`,
      [ada.userId],
    );
    await expectRefused(await verify(ada, token), ada);
  });

  it('gives each token 24 hours', async () => {
    const ada = await signUp();
    await tokenOf(ada);
    const [row] = await switchboard.ownerQuery<{ hours: number }>(
      `select round(extract(epoch from expires_at - now()) / 3600)::int as hours
       from gate.address_verifications where user_id = $1`,
      [ada.userId],
    );
    expect(row).toEqual({ hours: 24 });
  });

  it('accepts only one of several simultaneous uses of a token, and refuses earlier tokens afterwards', async () => {
    const ada = await signUp();
    expect((await mailAgain(ada)).status).toBe(204);
    const [first = '', second = ''] = await tokensOf(ada, 2);
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(ada, first)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(422)]);
    expect((await verify(ada, first)).status).toBe(422);
    expect((await verify(ada, second)).status).toBe(422);
    const entries = await switchboard.ownerQuery(
      `select from audit_log where organization_id = $1 and action = 'verify_address' and outcome = 'ok'`,
      [ada.organizationId],
    );
    expect(entries).toHaveLength(1);
  });

  it('refuses the token of another account, which stays valid for that account', async () => {
    const [ada, eve] = [await signUp(), await signUp()];
    const token = await tokenOf(ada);
    await expectRefused(await verify(eve, token), eve);
    expect((await verify(ada, token)).status).toBe(200);
    expect((await view(eve)).is_verified).toBe(false);
  });

  it('refuses a token after the address of the account changed, and the new address is not verified', async () => {
    const ada = await signUp();
    const change = (email: string) =>
      switchboard.ownerQuery('update gate.users set email = $2 where id = $1', [ada.userId, email]);
    const token = await tokenOf(ada);
    await change(`new.${ada.email}`);
    await expectRefused(await verify(ada, token), ada);
    await change(ada.email);
    expect((await verify(ada, token)).status).toBe(200);
    await change(`new.${ada.email}`);
    expect((await view(ada)).is_verified).toBe(false);
  });

  it('needs a session of the account, and a request from this site', async () => {
    const ada = await signUp();
    const token = await tokenOf(ada);
    const url = `${switchboard.url}/api/auth/verification`;
    expect((await postJson(url, { token })).status).toBe(401);
    expect((await postJson(`${url}/mail`, {})).status).toBe(401);
    const { headers } = await fetch(`${switchboard.url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: ada.email, password: PASSWORD }),
    });
    const stolen = { Cookie: headers.getSetCookie()[0]!, 'Sec-Fetch-Site': 'cross-site' };
    expect((await postJson(url, { token }, stolen)).status).toBe(403);
    expect((await postJson(`${url}/mail`, {}, stolen)).status).toBe(403);
    expect((await view(ada)).is_verified).toBe(false);
  });

  it('does not happen when a program sends GET, HEAD or OPTIONS to the link or the endpoints', async () => {
    const ada = await signUp();
    const token = await tokenOf(ada);
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      for (const path of [
        `/verify#${token}`,
        `/verify?token=${token}`,
        `/api/auth/verification?token=${token}`,
        `/api/auth/verification/mail?token=${token}`,
      ]) {
        await ada.send(method, path);
      }
    }
    expect((await view(ada)).is_verified).toBe(false);
    expect(await mailsTo(ada.email)).toHaveLength(1);
    expect((await verify(ada, token)).status).toBe(200);
  });

  it('changes no quota that an operator has set', async () => {
    const ada = await signUp();
    // The command runs in the process of the test, and reads DATABASE_URL from its environment.
    const before = process.env.DATABASE_URL;
    process.env.DATABASE_URL = switchboard.databaseUrl;
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      await runQuotas([ada.organizationId, 'messages', '3']);
    } finally {
      process.env.DATABASE_URL = before;
      vi.restoreAllMocks();
    }
    expect(await view(ada)).toMatchObject({ messages_a_day: null });
    expect((await verify(ada, await tokenOf(ada))).status).toBe(200);
    const quotas = await switchboard.ownerQuery(
      `select amount, set_by from private.quota_exceptions where organization_id = $1 and name = 'messages'`,
      [ada.organizationId],
    );
    expect(quotas).toEqual([{ amount: '3', set_by: 'operator' }]);
  });

  it('sends an account at most a few mails a day, and says when it can request the next mail', async () => {
    const ada = await signUp();
    const statuses = [];
    for (let asked = 0; asked < 6; asked += 1) statuses.push((await mailAgain(ada)).status);
    expect(statuses).toEqual([204, 204, 429, 429, 429, 429]);
    const refused = await mailAgain(ada);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60 * 60);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
    expect(await mailsTo(ada.email)).toHaveLength(MAILS_A_DAY);
  });

  it('sends a mailbox at most a few mails a day, even when several accounts have different spellings of its address', async () => {
    const spellings = ['victim+1', 'victim+2', 'v.i.ctim+3', 'Victim+4', 'vic.tim+5', 'victim'];
    const people = [];
    for (const name of spellings) people.push(await signUp(`${name}@mail.example`));
    for (const person of people) await mailAgain(person);
    const mails = [];
    for (const { email } of people) mails.push(...(await mailsTo(email.toLowerCase())));
    expect(mails).toHaveLength(MAILS_A_DAY);
  });

  itSlow('limits the mails for all accounts that sign up from one network', async () => {
    const address = newAddress();
    const most = MAILS_A_DAY * 10;
    const people = [];
    for (let made = 0; made < 11; made += 1) people.push(await signUp(undefined, address));
    await Promise.all(
      people.map(({ email }) => waitFor(async () => (await mailsTo(email)).length)),
    );
    let sent = people.length;
    for (const person of [...people, ...people]) {
      if ((await mailAgain(person, address)).status === 204) sent += 1;
    }
    expect(sent).toBe(most);
    expect((await mailAgain(await signUp(), newAddress())).status).toBe(204);
  });
});

describeSlow('a mail server that cannot be reached', () => {
  it('does not delay a sign-up, and a person who requests the mail gets an error', async () => {
    const switchboard = await startSwitchboard({
      env: { SMTP_URL: 'smtp://127.0.0.1:9', NEW_ORGANIZATION_MESSAGES: '2' },
    });
    try {
      const account = { email: 'a@example.com', password: PASSWORD, organization_name: 'A' };
      const signedUp = await postJson(`${switchboard.url}/api/auth/sign-up`, account);
      expect(signedUp.status).toBe(201);
      const asked = await fetch(`${switchboard.url}/api/auth/verification/mail`, {
        method: 'POST',
        headers: {
          Cookie: signedUp.headers.getSetCookie()[0]!.split(';')[0]!,
          Origin: switchboard.url,
        },
      });
      expect(asked.status).toBe(503);
      expect(await asked.json()).toMatchObject({ code: 'unavailable' });
    } finally {
      await switchboard.close();
    }
  });
});
