import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { channelName } from '../../src/database/notifications/channel-name.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { runSql, SqlTools } from './sql-tools.js';

const CHANNELS = ['switchboard_changes', 'switchboard_wake_up'] as const;

describe('notifications that SQL of a tool sends', () => {
  let switchboard: Switchboard;
  let hostile: TestOrganization;
  let victim: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ providers: [SqlTools] });
    hostile = await createOrganization(switchboard, 'Hostile');
    victim = await createOrganization(switchboard, 'Victim');
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => switchboard.close());

  /** Opens the stream of changes of the victim. */
  const openStream = async (): Promise<{ text: () => string; close: () => void }> => {
    const abort = new AbortController();
    const stream = await fetch(`${switchboard.url}/api/changes`, {
      headers: { Cookie: victim.cookie },
      signal: abort.signal,
    });
    let text = '';
    const read = async (): Promise<void> => {
      for await (const part of stream.body!) text += Buffer.from(part).toString();
    };
    read().catch(() => undefined);
    await waitFor(() => text.includes('event: ready'));
    return { text: () => text, close: () => abort.abort() };
  };

  it('reach no stream of another organization', async () => {
    const { text, close } = await openStream();
    try {
      await runSql(
        hostile,
        `select pg_notify('switchboard_changes', '${victim.id} resource switchboard://runs/forged')`,
        `select pg_notify('switchboard_changes', ' resource switchboard://runs/forged')`,
        `select pg_notify('switchboard_changes', '')`,
        `notify switchboard_changes, '${victim.id} sessions'`,
      );
      const { value } = await victim.call<{ contact: { id: string } }>('create_contact', {
        email: 'a@example.com',
      });
      await waitFor(() => text().includes(value.contact.id));
      expect(text()).not.toMatch(/forged|event: gap/);
    } finally {
      close();
    }
  });

  it('cause no work in the processes, no matter how many are sent', async () => {
    const emit = vi.spyOn(Client.prototype, 'emit');
    const { close } = await openStream();
    try {
      for (const channel of CHANNELS) {
        const sql = `select count(pg_notify('${channel}', 'run forged ' || g)) from generate_series(1, 1000) g`;
        expect(await runSql(hostile, sql)).toEqual([{ rows: [{ count: '1000' }] }]);
      }
      const { value } = await victim.call<{ contact: { id: string } }>('create_contact', {
        email: 'b@example.com',
      });
      const notifications = () =>
        emit.mock.calls
          .filter(([event]) => event === 'notification')
          .map(([, message]) => (message as { payload: string }).payload);
      await waitFor(() => notifications().some((payload) => payload.includes(value.contact.id)));
      expect(notifications().filter((payload) => payload.includes('forged'))).toEqual([]);
    } finally {
      close();
    }
  });

  it('cannot use the names of the real channels, because SQL of a tool cannot find the names', async () => {
    const names = CHANNELS.map((channel) => channelName(channel, switchboard.access.contextKey));
    const { close } = await openStream();
    try {
      const outcomes = await runSql(
        hostile,
        'select * from pg_stat_activity',
        'select prosrc from pg_proc where pronamespace::regnamespace::text !~ $$^pg_|^information$$',
        'select * from pg_listening_channels()',
        'select * from pg_settings',
        'select * from private.installation',
        'select private.notify_run_change()',
      );
      for (const name of names) expect(JSON.stringify(outcomes)).not.toContain(name);
    } finally {
      close();
    }
  });
});

describe('a change that the database makes by itself', () => {
  it('is sent on the channel that the processes listen on', async () => {
    const switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    const listener = new Client({ connectionString: switchboard.databaseUrl });
    try {
      const payloads: (string | undefined)[] = [];
      listener.on('notification', ({ payload }) => payloads.push(payload));
      await listener.connect();
      const { contextKey } = switchboard.access;
      await listener.query(`listen ${channelName('switchboard_changes', contextKey)}`);
      await switchboard.ownerQuery(
        `create table public.runs_of_test (organization_id text, id text, status text)`,
      );
      await switchboard.ownerQuery(
        `create trigger notify after insert on public.runs_of_test
         for each row execute function private.notify_run_change()`,
      );
      await switchboard.ownerQuery(
        `insert into public.runs_of_test values ('org_1', 'run_1', 'failed')`,
      );
      await waitFor(() => payloads.includes('org_1 resource switchboard://runs/run_1'));
      await switchboard.ownerQuery('drop table public.runs_of_test');
    } finally {
      await listener.end();
      await switchboard.close();
    }
  });
});
