import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, postWebhook, sign } from './support/workflow-client.js';

interface Delivery {
  kind: string;
  code: string;
  headers: Record<string, string>;
  mistakes: { code: string }[];
}

const BODY = '{"a": 1}';
const WRONG = { 'x-webhook-signature': '0'.repeat(64) };

describe('a hostile delivery', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard();
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const create = async () => {
    const { id, secret } = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', secret: true },
    });
    return { id, secret: secret!, signed: { 'x-webhook-signature': sign(BODY, secret!) } };
  };
  const list = async (id: string): Promise<Delivery[]> => {
    const { value } = await acme.call<{ deliveries: Delivery[] }>('list_webhook_deliveries', {
      workflow_id: id,
      limit: 200,
    });
    return value.deliveries;
  };
  /** Returns the log once it has a delivery with this code. The log writes deliveries in the order of their arrival. */
  const listUntil = async (id: string, code: string) =>
    await waitFor(async () => {
      const deliveries = await list(id);
      return deliveries.some((delivery) => delivery.code === code) ? deliveries : undefined;
    });

  it.each(
    sample(
      [
        ['nested so deep that its diagnosis fails', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
        ['nested in objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
        [
          'nested just deep enough to be indented at length',
          `${'['.repeat(3000)}${']'.repeat(3000)}`,
        ],
        ['of line ends', '\n'.repeat(60_000)],
        ['of numbers that become Infinity', `[${'1e999,'.repeat(9000)}1]`],
        ['with __proto__', '{"__proto__": {"toJSON": 1}, "toJSON": 2}'],
        ['of lone surrogates', `"${'\\ud800'.repeat(9000)}"`],
      ],
      3,
    ),
  )('removes no other delivery from the log: %s', async (_what, hostile) => {
    const { id, signed } = await create();
    const sent = await Promise.all([
      postWebhook(switchboard, id, BODY, { ...signed, 'user-agent': 'before' }),
      postWebhook(switchboard, id, hostile, WRONG),
      postWebhook(switchboard, id, BODY, { ...signed, 'user-agent': 'after' }),
    ]);
    expect(sent.map(({ status }) => status)).toEqual([202, 401, 202]);
    // When the log contains this delivery, all earlier deliveries have been written or lost.
    const deliveries = await waitFor(async () => {
      await postWebhook(switchboard, id, BODY, { ...signed, 'idempotency-key': 'a b' });
      const found = await list(id);
      return found.some(({ code }) => code === 'invalid_arguments') ? found : undefined;
    });
    const agents = deliveries.map(({ headers }) => headers['user-agent']);
    expect(agents).toContain('before');
    expect(agents).toContain('after');
    expect(deliveries.filter(({ code }) => code === 'invalid_signature')).toHaveLength(1);
  });

  itSlow(
    'with headers of all bytes is recorded, and removes no other delivery from the log',
    async () => {
      const { id, signed } = await create();
      const bytes = Array.from({ length: 96 }, (_, index) => String.fromCharCode(160 + index));
      const hostile = {
        ...signed,
        'user-agent': bytes.join(''),
        'webhook-id': '\u00ff'.repeat(300),
      };
      await Promise.all([
        postWebhook(switchboard, id, BODY, { ...signed, 'user-agent': 'fine' }),
        postWebhook(switchboard, id, BODY, hostile),
      ]);
      const deliveries = await listUntil(id, 'invalid_arguments');
      expect(deliveries.map(({ code }) => code).sort()).toEqual(['accepted', 'invalid_arguments']);
    },
  );

  it('that the database refuses removes no other delivery from the log', async () => {
    const { id, signed } = await create();
    await switchboard.ownerQuery(`
      create function refuse_delivery() returns trigger language plpgsql as $$
      begin
        if new.headers->>'user-agent' = 'refused' then
          raise exception 'not storable' using errcode = '22P05';
        end if;
        return new;
      end $$`);
    await switchboard.ownerQuery(
      'create trigger refuse_delivery before insert on webhook_deliveries for each row execute function refuse_delivery()',
    );
    await Promise.all(
      ['one', 'refused', 'two'].map((agent) =>
        postWebhook(switchboard, id, BODY, { ...signed, 'user-agent': agent }),
      ),
    );
    const deliveries = await waitFor(async () => {
      const found = await list(id);
      return found.length >= 2 ? found : undefined;
    });
    await switchboard.ownerQuery('drop function refuse_delivery cascade');
    expect(deliveries.map(({ headers }) => headers['user-agent']).sort()).toEqual(['one', 'two']);
  });

  itSlow(
    'without a signature removes no delivery with a valid signature from the log',
    async () => {
      const { id, signed } = await create();
      const invalid = (number: number) =>
        postWebhook(switchboard, id, BODY, { ...signed, 'idempotency-key': `a ${number}` });
      await invalid(1);
      await listUntil(id, 'invalid_arguments');
      for (let round = 0; round < 4; round += 1) {
        await Promise.all(Array.from({ length: 40 }, () => postWebhook(switchboard, id, BODY)));
      }
      await invalid(2);
      const deliveries = await waitFor(async () => {
        const found = await list(id);
        return found.some(({ headers }) => headers['idempotency-key'] === 'a 2')
          ? found
          : undefined;
      });
      const keys = deliveries.map(({ headers }) => headers['idempotency-key']);
      expect(keys).toContain('a 1');
      expect(deliveries.filter(({ code }) => code === 'invalid_signature')).toHaveLength(50);
    },
  );

  it('is recorded although the secret of another workflow cannot be opened', async () => {
    const [broken, { id, signed }] = [await create(), await create()];
    await switchboard.ownerQuery(
      `update workflows set secret = set_byte(secret, 20, get_byte(secret, 20) # 1) where id = $1`,
      [broken.id],
    );
    await Promise.all([
      postWebhook(switchboard, id, BODY, signed),
      postWebhook(switchboard, id, BODY, WRONG),
    ]);
    const deliveries = await listUntil(id, 'invalid_signature');
    expect(deliveries.map(({ code }) => code).sort()).toEqual(['accepted', 'invalid_signature']);
    expect(deliveries.flatMap(({ mistakes }) => mistakes.map(({ code }) => code))).toEqual([
      'no_match',
    ]);
  });
});
