import { Injectable } from '@nestjs/common';
import { IsString } from 'class-validator';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors/app-error.js';
import { askForm } from '../../src/tools/contract/input-request.js';
import type { ToolCall } from '../../src/tools/contract/tool-call.js';
import { Tool } from '../../src/tools/contract/tool.decorator.js';
import { ConfirmationRetention } from '../../src/tools/confirmations/confirmation-retention.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { answerOf, errorOf, textOf } from './support/answer.js';
import { CAPABILITIES_KEY, metaOf, postModern } from './support/modern.js';
import { ProtocolTools } from './support/protocol.tools.js';
import { tracesOf } from './support/traces.js';

class TextInput {
  @IsString()
  text: string;
}

class NoteOutput {
  @IsString()
  note_id: string;
}

class Agreement {}

/** Provides tools whose calls fail or send an input request, to show when an approval stays usable. */
@Injectable()
class FragileTools {
  failing = false;
  outsideCalls = 0;

  @Tool({ name: 'fragile_note', title: 'Note', description: 'May fail.', output: NoteOutput })
  async note({ text }: TextInput): Promise<NoteOutput> {
    if (this.failing) throw new AppError('conflict', 'Not now.');
    return { note_id: text };
  }

  @Tool({
    name: 'far_note',
    title: 'Far note',
    description: 'May fail outside.',
    output: NoteOutput,
    external: true,
  })
  async far({ text }: TextInput): Promise<NoteOutput> {
    this.outsideCalls += 1;
    if (this.failing) throw new AppError('unavailable', 'Nobody answers.');
    return { note_id: text };
  }

  @Tool({
    name: 'asking_note',
    title: 'Asking note',
    description: 'Asks its caller.',
    output: NoteOutput,
  })
  async asking({ text }: TextInput, call: ToolCall): Promise<NoteOutput> {
    await call.ask({ sure: askForm('Sure?', Agreement) });
    return { note_id: text };
  }
}

interface ConfirmationView {
  id: string;
  tool: string;
  arguments: object;
  state: string;
  api_key_id: string;
  answered_by: string | null;
}

let switchboard: Switchboard;
let acme: TestOrganization;
let fragile: FragileTools;

beforeAll(async () => {
  switchboard = await startSwitchboard({ providers: [ProtocolTools, FragileTools] });
  fragile = switchboard.app.get(FragileTools);
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
  fragile.failing = false;
  fragile.outsideCalls = 0;
  await protect('note');
});
afterAll(() => switchboard.close());

async function protect(tool: string): Promise<void> {
  const given = { tool, confirmation: 'always' };
  expect((await acme.call('set_tool_policy', given)).error).toBeUndefined();
}

function messageOf(name: string, given: object, id = 1): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } };
}

/** Calls a tool as a plain agent, and returns its result or its error. */
async function agent(
  name = 'note',
  given: object = { text: 'told' },
  organization = acme,
): Promise<{ error?: { code: string; message: string; confirmation_id?: string } }> {
  const { body } = await answerOf(organization.rpc(messageOf(name, given)));
  return textOf(body) as object;
}

/** Calls the tool `note` with an idempotency key in `_meta`. */
async function callWithKey(key: string): Promise<Awaited<ReturnType<typeof agent>>> {
  const params = {
    name: 'note',
    arguments: { text: 'told' },
    _meta: { 'switchboard/idempotencyKey': key },
  };
  const { body } = await answerOf(
    acme.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  );
  return textOf(body) as object;
}

/** Makes a call that waits for a person, and returns the id of its confirmation. */
async function request(name?: string, given?: object): Promise<string> {
  const { error } = await agent(name, given);
  expect(error).toMatchObject({ code: 'confirmation_required' });
  expect(error!.message).toContain(error!.confirmation_id);
  return error!.confirmation_id!;
}

const approve = (id: string, by = acme) =>
  by.call<{ confirmation: ConfirmationView }>('approve_confirmation', { confirmation_id: id });
const decline = (id: string, by = acme) =>
  by.call<{ confirmation: ConfirmationView }>('decline_confirmation', { confirmation_id: id });

async function list(given: object = {}): Promise<ConfirmationView[]> {
  const { value } = await acme.call<{ confirmations: ConfirmationView[] }>(
    'list_confirmations',
    given,
  );
  return value.confirmations;
}

const expire = (id: string) =>
  switchboard.ownerQuery(
    `update confirmations set expires_at = now() - interval '1 second' where id = $1`,
    [id],
  );

/** Calls as an agent whose client answers input requests automatically. */
async function modern(name: string, given: object, extras: object = {}) {
  const _meta = { ...metaOf(), [CAPABILITIES_KEY]: { elicitation: {} } };
  const params = { name, arguments: given, ...extras, _meta };
  const { body } = await postModern(acme, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return body as { result: Record<string, unknown> };
}

describe('an agent whose call a person must approve', () => {
  it('cannot approve the call by answering an input request', async () => {
    const { result } = await modern('note', { text: 'told' });
    expect(result).not.toHaveProperty('inputRequests');
    const inputResponses = { 'switchboard.confirmation': { action: 'accept' } };
    const again = await modern('note', { text: 'told' }, { inputResponses });
    expect(textOf(again)).toMatchObject({ error: { code: 'confirmation_required' } });
    expect(await tracesOf(switchboard, acme)).toEqual([]);
  });

  it('cannot call the tools for people, also not as a step of a workflow', async () => {
    const id = await request();
    for (const name of ['list_confirmations', 'approve_confirmation', 'decline_confirmation']) {
      const given = name === 'list_confirmations' ? {} : { confirmation_id: id };
      const { body } = await answerOf(acme.rpc(messageOf(name, given)));
      expect(body).toEqual(errorOf(-32602, 1));
      const workflow = {
        name: 'Sly',
        trigger: { type: 'manual' },
        steps: [{ id: 'a', tool: name, arguments: given }],
      };
      expect(await agent('create_workflow', workflow)).toMatchObject({
        error: { code: 'invalid_arguments' },
      });
      expect((await acme.call('create_workflow', workflow)).error?.code).toBe('invalid_arguments');
    }
    const response = await fetch(`${switchboard.url}/api/tools/approve_confirmation`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ confirmation_id: id }),
    });
    expect(response.status).toBe(401);
    expect(await agent()).toMatchObject({ error: { code: 'confirmation_required' } });
    expect(await tracesOf(switchboard, acme)).toEqual([]);
  });

  it('cannot make the list of confirmations too large to be shown', async () => {
    const given = (number: number) => ({ text: `${number}${'€'.repeat(60_000)}` });
    await protect('fragile_note');
    for (let calls = 0; calls < 7; calls += 1) await request('fragile_note', given(calls));
    const listed = await list();
    expect(listed.length).toBeLessThan(7);
    expect(listed[0]).toMatchObject({ arguments: given(6) });
  });

  it('gets the same confirmation in every era, and waits for one approval only', async () => {
    const id = await request();
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const headers = { 'MCP-Protocol-Version': version };
      const { body } = await answerOf(acme.rpc(messageOf('note', { text: 'told' }), headers));
      expect(textOf(body)).toMatchObject({ error: { confirmation_id: id } });
    }
    expect(textOf(await modern('note', { text: 'told' }))).toMatchObject({
      error: { confirmation_id: id },
    });
    expect(await list()).toMatchObject([{ id, state: 'pending' }]);
  });

  it('makes the call exactly once after a person approved it, even when the agent repeats the call', async () => {
    const id = await request();
    expect((await approve(id)).value.confirmation).toMatchObject({
      id,
      state: 'approved',
      answered_by: acme.userId,
    });
    expect(await tracesOf(switchboard, acme)).toEqual([]);
    const results = await Promise.all(Array.from({ length: 5 }, () => agent()));
    expect(results).toEqual(Array.from({ length: 5 }, () => ({ note_id: 'told' })));
    expect(await agent()).toEqual({ note_id: 'told' });
    expect(await tracesOf(switchboard, acme)).toEqual(['told']);
    expect(await list({ state: 'all' })).toMatchObject([{ id, state: 'used' }]);
  });

  it('gets no approval for other arguments, another tool, or another key', async () => {
    const id = await request();
    await approve(id);
    await protect('slow_note');
    expect(await request('note', { text: 'other' })).not.toBe(id);
    expect(await request('slow_note', { text: 'told' })).not.toBe(id);
    const created = await acme.fetch('/api/mcp/keys', { method: 'POST' });
    const { api_key: key } = (await created.json()) as { api_key: string };
    const response = await fetch(`${switchboard.url}/api/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(messageOf('note', { text: 'told' })),
    });
    const { error } = textOf(await response.json()) as { error: { confirmation_id: string } };
    expect(error.confirmation_id).toMatch(/^cfm_/);
    expect(error.confirmation_id).not.toBe(id);
    expect(await tracesOf(switchboard, acme)).toEqual([]);
  });

  itSlow(
    'needs a new approval for the same call when the result of the first call is no longer stored',
    async () => {
      const id = await request();
      await approve(id);
      await agent();
      await expire(id);
      expect(await request()).not.toBe(id);
      expect(await tracesOf(switchboard, acme)).toEqual(['told']);
    },
  );

  it('is refused after a person declined, and may ask again later', async () => {
    const id = await request();
    expect((await decline(id)).value.confirmation.state).toBe('declined');
    for (let time = 0; time < 2; time += 1) {
      const { error } = await agent();
      expect(error).toMatchObject({ code: 'forbidden' });
      expect(error!.message).toContain('declined');
    }
    await expire(id);
    expect(await request()).not.toBe(id);
    expect(await tracesOf(switchboard, acme)).toEqual([]);
  });

  it('gets an error when a confirmation expired, and cannot use an expired approval', async () => {
    const first = await request();
    await expire(first);
    const { error } = await agent();
    expect(error!.message).toContain(`Nobody answered ${first} in time`);
    const second = error!.confirmation_id!;
    await approve(second);
    await expire(second);
    expect([first, second]).not.toContain(await request());
    expect(await tracesOf(switchboard, acme)).toEqual([]);
  });

  it('keeps an approval while its call fails and is rolled back', async () => {
    await protect('fragile_note');
    const id = await request('fragile_note');
    await approve(id);
    fragile.failing = true;
    expect(await agent('fragile_note')).toMatchObject({ error: { code: 'conflict' } });
    fragile.failing = false;
    expect(await agent('fragile_note')).toEqual({ note_id: 'told' });
    expect(await tracesOf(switchboard, acme)).toEqual(['told']);
  });

  it('needs a new approval after the failure of a call to an external system, because this call may have had an effect', async () => {
    await protect('far_note');
    const id = await request('far_note');
    expect(fragile.outsideCalls).toBe(0);
    await approve(id);
    fragile.failing = true;
    expect(await agent('far_note')).toMatchObject({ error: { code: 'unavailable' } });
    fragile.failing = false;
    const next = await request('far_note');
    expect(next).not.toBe(id);
    expect(fragile.outsideCalls).toBe(1);
    await approve(next);
    for (let time = 0; time < 2; time += 1) {
      expect(await agent('far_note')).toEqual({ note_id: 'told' });
    }
    expect(fragile.outsideCalls).toBe(2);
  });

  it('needs one approval for all equal calls that only read, until the approval expires', async () => {
    await protect('get_contact');
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'ada@example.com',
    });
    const given = { contact_id: value.contact.id };
    const id = await request('get_contact', given);
    await approve(id);
    expect(await agent('get_contact', given)).toMatchObject({
      contact: { email: 'ada@example.com' },
    });
    expect(await agent('get_contact', given)).toHaveProperty('contact');
    await request('get_contact', { contact_id: 'con_other' });
    await expire(id);
    await request('get_contact', given);
  });

  itSlow('keeps an approval when its call fails and has changed no data', async () => {
    await protect('get_contact');
    const given = { contact_id: 'con_missing' };
    await approve(await request('get_contact', given));
    for (let time = 0; time < 2; time += 1) {
      expect(await agent('get_contact', given)).toMatchObject({ error: { code: 'not_found' } });
    }
  });

  itSlow(
    'keeps an approval while the tool itself waits for the answer to an input request',
    async () => {
      await protect('asking_note');
      const first = await modern('asking_note', { text: 'told' });
      const { error } = textOf(first) as { error: { confirmation_id: string } };
      await approve(error.confirmation_id);
      const asked = (await modern('asking_note', { text: 'told' })).result;
      expect(asked).toMatchObject({ inputRequests: { sure: {} } });
      const extras = {
        inputResponses: { sure: { action: 'accept', content: {} } },
        requestState: asked.requestState,
      };
      for (let time = 0; time < 2; time += 1) {
        const { result } = await modern('asking_note', { text: 'told' }, extras);
        expect(result).toMatchObject({ structuredContent: { note_id: 'told' } });
      }
      expect(await tracesOf(switchboard, acme)).toEqual(['told']);
    },
  );

  it('gets the stored result of an earlier call with the same idempotency_key without a new approval', async () => {
    await protect('send_message');
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'ada@example.com',
    });
    const given = {
      contact_id: value.contact.id,
      subject: 'Hello',
      body: 'Hello',
      idempotency_key: 'once',
    };
    const id = await request('send_message', given);
    await approve(id);
    const sent = await agent('send_message', given);
    expect(sent).toHaveProperty('message');
    await expire(id);
    expect(await agent('send_message', given)).toEqual(sent);
  });

  it('gets the stored result of an earlier call with the same key in _meta without a new approval', async () => {
    const first = await callWithKey('k1');
    await approve(first.error!.confirmation_id!);
    expect(await callWithKey('k1')).toEqual({ note_id: 'told' });
    await expire(first.error!.confirmation_id!);
    expect(await callWithKey('k1')).toEqual({ note_id: 'told' });
    expect(await list()).toEqual([]);
    await acme.call('set_tool_policy', { tool: 'note', confirmation: 'never' });
    expect(await callWithKey('k1')).toEqual({ note_id: 'told' });
    expect(await tracesOf(switchboard, acme)).toEqual(['told']);
  });

  it('needs a new approval for the same call with another key in _meta', async () => {
    const first = await callWithKey('k1');
    await approve(first.error!.confirmation_id!);
    await callWithKey('k1');
    const second = await callWithKey('k2');
    expect(second.error).toMatchObject({ code: 'confirmation_required' });
    expect(second.error!.confirmation_id).not.toBe(first.error!.confirmation_id);
    await approve(second.error!.confirmation_id!);
    expect(await callWithKey('k2')).toEqual({ note_id: 'told' });
    expect(await tracesOf(switchboard, acme)).toEqual(['told', 'told']);
  });

  it('learns about invalid arguments before a person is asked', async () => {
    expect(await agent('note', { words: 'told' })).toMatchObject({
      error: { code: 'invalid_arguments' },
    });
    expect(await list()).toEqual([]);
  });

  it('cannot make a dry run of the call, alone or in a batch', async () => {
    await approve(await request());
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'note',
        arguments: { text: 'told' },
        _meta: { 'switchboard/dryRun': true },
      },
    };
    const alone = await answerOf(acme.rpc(message));
    expect(textOf(alone.body)).toMatchObject({ error: { code: 'forbidden' } });
    const batch = await answerOf(acme.rpc([message]));
    expect(textOf((batch.body as unknown[])[0])).toMatchObject({ error: { code: 'forbidden' } });
    expect(await agent()).toEqual({ note_id: 'told' });
  });

  it('can have at most 50 calls waiting, of at most 65,536 characters each', async () => {
    await switchboard.ownerQuery(
      `insert into confirmations (organization_id, id, api_key_id, tool, arguments, digest, expires_at)
       select $1, 'cfm_' || n, 'key', 'note', '{}', ''::bytea, now() + interval '1 hour' from generate_series(1, 49) n`,
      [acme.id],
    );
    const id = await request();
    expect(await agent('note', { text: 'one more' })).toMatchObject({
      error: { code: 'conflict' },
    });
    // When a call that already waits is repeated, the answer still has the id of its confirmation.
    expect(await request()).toBe(id);
    await decline('cfm_1');
    await protect('create_contact');
    const large = { email: 'ada@example.com', properties: { text: 'x'.repeat(65_536) } };
    expect(await agent('create_contact', large)).toMatchObject({
      error: { code: 'invalid_arguments' },
    });
    await request('note', { text: 'one more' });
  });
});

describe('people who answer confirmations', () => {
  it('see exactly which call will run, and the audit log says who approved it and that the approval was used', async () => {
    const id = await request('note', { text: 'told' });
    expect(await list()).toMatchObject([
      { id, tool: 'note', arguments: { text: 'told' }, state: 'pending', answered_by: null },
    ]);
    await approve(id);
    expect(await list()).toEqual([]);
    await agent();
    const rows = await switchboard.ownerQuery(
      `select actor_kind, actor_id, action, subject from audit_log
       where organization_id = $1 and (action like 'confirm%' or action like '%_confirmation' or action = 'note')
         and outcome = 'ok' order by id`,
      [acme.id],
    );
    const [{ api_key_id: key }] = (await list({ state: 'all' })) as [ConfirmationView];
    expect(rows).toEqual([
      { actor_kind: 'user', actor_id: acme.userId, action: 'approve_confirmation', subject: id },
      { actor_kind: 'key', actor_id: key, action: 'confirmations/use', subject: id },
      { actor_kind: 'key', actor_id: key, action: 'note', subject: 'told' },
    ]);
  });

  it('cannot see or answer confirmations of another organization', async () => {
    const id = await request();
    const globex = await createOrganization(switchboard);
    const seen = await globex.call<{ confirmations: object[] }>('list_confirmations', {
      state: 'all',
    });
    expect(seen.value.confirmations).toEqual([]);
    for (const answer of [approve, decline]) {
      expect((await answer(id, globex)).error?.code).toBe('not_found');
    }
    expect(await list()).toMatchObject([{ id, state: 'pending' }]);
  });

  it('can withdraw an approval until it is used, and cannot answer a confirmation twice', async () => {
    const id = await request();
    await approve(id);
    expect((await approve(id)).error?.code).toBe('conflict');
    await decline(id);
    expect(await agent()).toMatchObject({ error: { code: 'forbidden' } });
    expect((await approve(id)).error?.code).toBe('conflict');
    const other = await request('note', { text: 'other' });
    await approve(other);
    await agent('note', { text: 'other' });
    expect((await decline(other)).error?.code).toBe('conflict');
    const late = await request('note', { text: 'late' });
    await expire(late);
    const { error } = await approve(late);
    expect(error).toMatchObject({ code: 'conflict' });
    expect(error!.message).toContain('expired');
    expect((await approve('cfm_none')).error?.code).toBe('not_found');
  });

  it('can approve and decline at the same time: the call then runs only if the decline has failed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const text = `round ${round}`;
      const id = await request('note', { text });
      const [yes, no] = await Promise.all([approve(id), decline(id)]);
      expect(no.error === undefined || yes.error === undefined).toBe(true);
      const ran = (await agent('note', { text })).error === undefined;
      // A decline that follows the approval withdraws the approval. So the call runs only when the decline failed.
      expect(ran).toBe(no.error !== undefined);
    }
  });

  it('need no confirmation themselves', async () => {
    expect((await acme.call('note', { text: 'by a person' })).value).toEqual({
      note_id: 'by a person',
    });
  });
});

describe(ConfirmationRetention.name, () => {
  it('deletes unanswered confirmations after a day and answered ones after thirty days', async () => {
    const rows = [
      ['pending', '25 hours', false],
      ['pending', '23 hours', true],
      ['declined', '29 days', true],
      ['declined', '31 days', false],
    ] as const;
    for (const [index, [state, age]] of rows.entries()) {
      await switchboard.ownerQuery(
        `insert into confirmations (organization_id, id, api_key_id, tool, arguments, digest, state, expires_at,
           answered_at, answered_by)
         values ($1, $2, 'key', 'note', '{}', ''::bytea, $3, now() - $4::interval,
           case $3 when 'pending' then null else now() end, case $3 when 'pending' then null else 'usr' end)`,
        [acme.id, `cfm_${index}`, state, age],
      );
    }
    await switchboard.app.get(ConfirmationRetention).purge();
    const left = (await list({ state: 'all' })).map(({ id }) => id).sort();
    expect(left).toEqual(rows.flatMap(([, , stays], index) => (stays ? [`cfm_${index}`] : [])));
  });
});
