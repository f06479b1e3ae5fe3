import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook, sign } from './support/workflow-client.js';

describe('the signature of a webhook', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const body = '{"a": 1,  "b":"ü"}';
  const post = (id: string, raw: string, signature?: string) =>
    postWebhook(
      switchboard,
      id,
      raw,
      signature === undefined ? {} : { 'x-webhook-signature': signature },
    );
  const runs = async () =>
    Number(
      (await switchboard.ownerQuery<{ n: string }>('select count(*) as n from workflow_runs'))[0]!
        .n,
    );

  const stored = async (id: string) =>
    (
      await switchboard.ownerQuery<{ secret: Buffer }>(
        'select secret from workflows where id = $1',
        [id],
      )
    )[0]!.secret;

  it('is made with a secret that is shown once and stored encrypted', async () => {
    const workflow = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: true } });
    expect(workflow.secret).toMatch(/^whsec_[0-9A-Za-z]{44}$/);
    expect(workflow.trigger).toEqual({ type: 'webhook', secret: true });
    const shown = await acme.call('get_workflow', { workflow_id: workflow.id });
    expect(JSON.stringify(shown)).not.toContain(workflow.secret);
    expect((await stored(workflow.id)).includes(Buffer.from(workflow.secret!))).toBe(false);
    expect((await post(workflow.id, body, sign(body, workflow.secret!))).status).toBe(202);
  });

  it('gets the same answer when missing or wrong, and starts no run', async () => {
    const secret = 'a secret of sixteen';
    const workflow = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret } });
    const other = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: true } });
    const good = sign(body, secret);
    const before = await runs();
    const wrong: (string | undefined)[] = [
      undefined,
      '',
      good.slice(1),
      `${good}0`,
      `sha256=${good}`,
      `${good}, ${good}`,
      good.replace(/./, (digit) => (digit === '0' ? '1' : '0')),
      sign(body, other.secret!),
      sign(JSON.stringify(JSON.parse(body)), secret),
      sign(`${body}\n`, secret),
    ];
    const answers = await Promise.all(wrong.map((signature) => post(workflow.id, body, signature)));
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(answers[0]!.body);
      expect(answer.body).toMatchObject({ ok: false, error: { code: 'invalid_signature' } });
    }
    expect((await post(workflow.id, 'not json')).status).toBe(401);
    expect(await runs()).toBe(before);
    expect((await post(workflow.id, body, good.toUpperCase())).status).toBe(202);
    expect(await runs()).toBe(before + 1);
  });

  it('is not needed and not checked without a secret', async () => {
    const workflow = await createWorkflow(acme, []);
    expect(workflow.secret).toBeNull();
    expect((await post(workflow.id, body, 'junk')).status).toBe(202);
  });

  it('cannot be made with a stored secret that was moved to another workflow', async () => {
    const given = { trigger: { type: 'webhook', secret: 'a secret of sixteen' } };
    const [one, two] = [await createWorkflow(acme, [], given), await createWorkflow(acme, [])];
    await switchboard.ownerQuery('update workflows set secret = $2 where id = $1', [
      two.id,
      await stored(one.id),
    ]);
    const answer = await post(two.id, body, sign(body, one.secret!));
    expect(answer).toMatchObject({ status: 500, body: { ok: false, error: { code: 'internal' } } });
  });

  it('is checked with the new secret after the workflow is updated', async () => {
    const first = 'the first secret!';
    const { id } = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: first } });
    const update = (trigger: object) =>
      acme.call<{ secret: string | null; workflow: { version: number; trigger: object } }>(
        'update_workflow',
        { workflow_id: id, trigger },
      );
    expect((await update({ type: 'webhook' })).value.secret).toBeNull();
    expect((await update({ type: 'webhook', secret: true })).value.secret).toBeNull();
    expect((await post(id, body, sign(body, first))).status).toBe(202);
    const second = 'the second secret!';
    const changed = await update({ type: 'webhook', secret: second });
    expect((await stored(id)).includes(Buffer.from(second))).toBe(false);
    expect(changed.value).toMatchObject({ secret: second, workflow: { version: 1 } });
    expect((await post(id, body, sign(body, first))).status).toBe(401);
    expect((await post(id, body, sign(body, second))).status).toBe(202);
    expect((await update({ type: 'webhook', secret: null })).value.workflow.trigger).toEqual({
      type: 'webhook',
    });
    expect((await post(id, body)).status).toBe(202);
    expect((await update({ type: 'webhook', secret: true })).value.secret).toMatch(/^whsec_/);
    expect((await post(id, body)).status).toBe(401);
  });
});
