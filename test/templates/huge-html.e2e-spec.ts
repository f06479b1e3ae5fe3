import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { ProbeTools } from '../workflows/support/probe.tools.js';
import { createWorkflow, runUntil, trigger } from '../workflows/support/workflow-client.js';
import { sample } from '../support/thorough.js';
import { createTemplate, publish } from './template.js';

const repeat = (count: number, value: (name: number) => string): string =>
  Array.from({ length: count }, (_, index) => value(index)).join('');

/**
 * Juice replaces each code block by a placeholder, and later replaces the placeholder by the code block. Two of these
 * code blocks contain the placeholder of the next code block many times.
 */
const CODE_BLOCKS = [
  '<style>p{color:red}</style><p>x</p>',
  `<%${'JUICE_CODE_BLOCK_1_'.repeat(40)}%>`,
  `<%${'JUICE_CODE_BLOCK_2_'.repeat(40)}%>`,
  `<%${'a'.repeat(120_000)}%><%b%>`,
].join('');
/** The value of each property contains the value of the previous property twice. Juice expands value after value. */
const PROPERTIES = [
  `<style>p{a0:${'1'.repeat(200_000)};`,
  repeat(25, (name) => `a${name + 1}:var(a${name})var(a${name});`),
  '}</style><p>x</p>',
].join('');
/** Each variable refers twice to the previous variable. */
const VARIABLES = [
  `<style>p{--a0:1;`,
  repeat(25, (name) => `--a${name + 1}:var(--a${name}) var(--a${name});`),
  'color:var(--a25)}</style><p>x</p>',
].join('');

const TOO_COSTLY = 'The HTML takes too much time or memory.';

let switchboard: RunningSwitchboard;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});

describe('HTML that becomes huge when its CSS is inlined', () => {
  it.each(
    sample<[string, string, string | undefined]>(
      [
        ['code blocks that contain each other', CODE_BLOCKS, undefined],
        ['properties that double each other', PROPERTIES, 'invalid_arguments'],
        ['CSS variables that double each other', VARIABLES, 'invalid_arguments'],
      ],
      3,
    ),
  )('does not end Switchboard: %s', async (what, html, expected) => {
    // Switchboard runs in the process of this test. If Switchboard ended, the test would end too.
    const acme = await createOrganization(switchboard);
    const globex = await createOrganization(switchboard);
    const other = await createOrganization(switchboard);
    const variants = { en: { email: { subject: 'Hello', html } } };
    const { id } = await createTemplate(acme, { variants });
    const { id: previewedId } = await createTemplate(globex, { variants });
    ProbeTools.hold(what);
    const hold = { id: 'hold', tool: 'probe_outside', arguments: { name: what } };
    const workflow = await createWorkflow(other, [hold], { trigger: { type: 'manual' } });
    const runId = await trigger(other, workflow.id, {});
    await expect.poll(() => ProbeTools.count(what)).toBe(1);

    const working = [
      publish(acme, id),
      globex.call('preview_template', { template_id: previewedId }),
    ];
    expect((await other.call('list_snippets')).status).toBe(200);
    for (const { error } of await Promise.all(working)) {
      expect(error?.code).toBe(expected);
      expect(error?.message ?? TOO_COSTLY).toContain(TOO_COSTLY);
    }

    ProbeTools.open(what);
    await runUntil(other, runId, 'succeeded');
    const simple = { en: { email: { subject: 'Hello', html: '<style>p{top:0}</style><p>x</p>' } } };
    const { id: next } = await createTemplate(acme, { variants: simple });
    expect((await publish(acme, next)).error).toBeUndefined();
  });
});
