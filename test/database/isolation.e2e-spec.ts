import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextSigner } from '../../src/database/transactions/context-signer.js';
import { Pipeline } from '../../src/database/driver/pipeline.js';
import { setContext } from '../../src/database/transactions/tenant-connections.js';
import { newId } from '../../src/text/ids.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { type HostileContext, HOSTILE_STATEMENTS } from './hostile-statements.js';
import { dumpOrganization } from './dump-organization.js';

let switchboard: Switchboard;
let mine: TestOrganization;
let theirs: TestOrganization;
let theirContact: string;
let signer: ContextSigner;

beforeAll(async () => {
  switchboard = await startSwitchboard();
  signer = new ContextSigner(switchboard.access.contextKey);
  mine = await createOrganization(switchboard, 'Mine');
  theirs = await createOrganization(switchboard, 'Theirs');
  for (const organization of [mine, theirs]) {
    const { value } = await organization.call<{ contact: { id: string } }>('create_contact', {
      email: `someone@${organization.id.toLowerCase().replace('_', '-')}.example.com`,
      tags: ['vip'],
      properties: { plan: 'pro' },
    });
    theirContact = value.contact.id;
  }
});
afterAll(() => switchboard.close());

describe('hostile SQL as the role of the service', () => {
  it('is tested with at least 40 statements', () => {
    expect(HOSTILE_STATEMENTS.length).toBeGreaterThanOrEqual(40);
  });

  it('can read the rows of its own organization', async () => {
    const rows = await inTransactionOf(mine.id, (client) =>
      client.query('select organization_id from contacts'),
    );
    expect(rows.rows).toEqual([{ organization_id: mine.id }]);
    const forTheirs = await inTransactionOf(theirs.id, (client) =>
      client.query('select id from contacts'),
    );
    expect(forTheirs.rows).toEqual([{ id: theirContact }]);
  });

  it.each([
    ['by text', `select public.find_contact_ids('someone@', null, 1000) as ids`],
    ['by a tag', `select public.find_contacts_by_keys('{vip}', '[]', '{}', true, 1000) as ids`],
    [
      'by one of several keys',
      `select public.find_contacts_by_keys('{vip}', '[["plan", "pro"]]', '{plan}', false, 1000) as ids`,
    ],
  ])(
    'finds only its own contacts %s, by a function that bypasses row-level security',
    async (_, sql) => {
      // The indexes distinguish organizations only by the end of their id or by a hash. The id of this organization has
      // the same end as the id of `mine`.
      const kin = `org_kin${newId('x').slice(-8)}${mine.id.at(-1)}`;
      await switchboard.ownerQuery(`insert into organizations (id, name) values ($1, 'Kin')`, [
        kin,
      ]);
      await switchboard.ownerQuery(
        `insert into contacts (organization_id, id, email, search_text, tags, properties)
       values ($1, 'con_of_kin', 'someone@kin.example.com', 'someone@kin.example.com', '{vip}', '{"plan": "pro"}')`,
        [kin],
      );
      const find = async (client: Client): Promise<{ ids: string[] | null }[]> =>
        (await client.query<{ ids: string[] | null }>(sql)).rows;
      expect(await inTransactionOf(kin, find)).toEqual([{ ids: ['con_of_kin'] }]);
      expect(await inTransactionOf(theirs.id, find)).toEqual([{ ids: [theirContact] }]);
      const [own] = await inTransactionOf(mine.id, find);
      expect(own!.ids).toHaveLength(1);
      expect(['con_of_kin', theirContact]).not.toContain(own!.ids![0]);
      const client = await connect();
      try {
        expect((await find(client))[0]!.ids ?? []).toEqual([]);
        await client.query(`select set_config('switchboard.context', $1, false)`, [theirs.id]);
        await expect(find(client)).rejects.toThrow('not signed');
      } finally {
        await client.end();
      }
    },
  );

  it('finds the context of another session in pg_stat_activity neither during nor after the transaction of that session', async () => {
    const other = await connect();
    const spy = await connect();
    try {
      const signature = signer.sign(theirs.id, backendPid(other));
      const begin = new Pipeline([
        { text: 'begin', values: [] },
        setContext([theirs.id, signature]),
      ]);
      other.query(begin);
      await begin.done;
      const look = () =>
        spy.query<{ pid: number; query: string }>('select pid, query, * from pg_stat_activity');
      const during = await look();
      await other.query('select count(*) from contacts');
      const later = await look();
      await other.query('commit');
      const after = await look();
      for (const { rows } of [during, later, after]) {
        const row = rows.find(({ pid }) => pid === backendPid(other));
        // The spy connects with the same role as the other session, so PostgreSQL shows it the text of the query. That
        // text must not contain the context.
        expect(row?.query).toBeTruthy();
        expect(JSON.stringify(rows)).not.toContain(signature);
        expect(JSON.stringify(rows)).not.toContain(theirs.id);
      }
    } finally {
      await other.end();
      await spy.end();
    }
  });

  it.each(['commit', 'rollback'])('has no context left after %s', async (end) => {
    const client = await connect();
    try {
      const signature = signer.sign(mine.id, backendPid(client));
      const begin = new Pipeline([{ text: 'begin', values: [] }, setContext([mine.id, signature])]);
      client.query(begin);
      await begin.done;
      expect((await client.query('select from contacts')).rowCount).toBe(1);
      await client.query(end);
      const left = await client.query(
        `select current_setting('switchboard.context', true) as context, current_organization() as organization`,
      );
      expect(left.rows[0]).toEqual({ context: '', organization: null });
      expect((await client.query('select from contacts')).rowCount).toBe(0);
    } finally {
      await client.end();
    }
  });

  it.each(sample(HOSTILE_STATEMENTS, 6))(
    'reads no data of another organization by %s',
    async (_, make) => {
      const before = await dumpOrganization(switchboard, theirs.id);
      const seen: string[] = [];
      const state = await inTransactionOf(mine.id, async (client, context) => {
        client.on('notice', (notice) => seen.push(JSON.stringify(notice)));
        const hostile = await hostileContext(context);
        for (const statement of make(hostile)) {
          try {
            seen.push(JSON.stringify((await client.query(statement)).rows));
          } catch (error) {
            seen.push(JSON.stringify({ ...(error as object), message: (error as Error).message }));
            return 'refused';
          }
        }
        return 'ran';
      });
      // The result may contain values that the attacker sent, but no value that only the other organization knows.
      const text = seen.join('\n').toLowerCase();
      const secret = theirs.id.toLowerCase().replace('_', '-');
      expect(text, state).not.toContain(`someone@${secret}`);
      expect(text, state).not.toContain(theirs.userId.toLowerCase());
      for (const rows of seen.filter((line) => line.startsWith('['))) {
        const isEcho = rows.includes('set_config');
        if (!isEcho) expect(rows, state).not.toContain(theirs.id);
      }
      expect(await dumpOrganization(switchboard, theirs.id), state).toEqual(before);
    },
  );
});

async function hostileContext(context: string): Promise<HostileContext> {
  const [owner] = await switchboard.ownerQuery<{ name: string }>('select current_user as name');
  return {
    mine: mine.id,
    theirs: theirs.id,
    theirContact,
    theirKeyHash: createHash('sha256').update(theirs.key).digest('hex'),
    context,
    theirContextElsewhere: `${theirs.id}.${signer.sign(theirs.id, 1)}`,
    theirSignatureElsewhere: signer.sign(theirs.id, 1),
    tenantRole: switchboard.access.tenant.user,
    gateRole: switchboard.access.gate.user,
    ownerRole: owner!.name,
  };
}

/** Runs `work` as the tenant role in a transaction of an organization, and commits it. */
async function inTransactionOf<T>(
  organizationId: string,
  work: (client: Client, context: string) => Promise<T>,
): Promise<T> {
  const client = await connect();
  try {
    const signature = signer.sign(organizationId, backendPid(client));
    await client.query('begin');
    await client.query('select open_context($1, $2)', [organizationId, signature]);
    const { rows } = await client.query<{ context: string }>(
      `select current_setting('switchboard.context') as context`,
    );
    const { context } = rows[0]!;
    const result = await work(client, context);
    await client.query('commit');
    return result;
  } finally {
    await client.end();
  }
}

async function connect(): Promise<Client> {
  const { host, port, database, ssl, tenant } = switchboard.access;
  const client = new Client({ host, port, database, ssl, ...tenant });
  await client.connect();
  return client;
}

function backendPid(client: Client): number {
  return (client as Client & { processID: number }).processID;
}
