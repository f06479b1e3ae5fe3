import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

interface Saved {
  workflow: { id: string; version: number; webhook_url: string };
  secret: string | null;
}

const EXAMPLES = [
  'Welcome new people',
  'Save leads',
  'Answer by plan',
  'Ask twice',
  'Import a list',
  'HTML form',
  'Stripe payment',
  'GitHub issue',
  'Weekly report',
  'Compare two systems',
  'Report failed runs',
  'From nothing',
];
const PAUSE = { id: 'pause', wait: { seconds: 1 } };

describe('workflows', () => {
  let dashboard: Dashboard;

  const create = async (given: object): Promise<Saved> => {
    const { value, error } = await dashboard.organization.call<Saved>('create_workflow', given);
    if (error) throw new Error(JSON.stringify(error));
    return value;
  };

  /** Waits until the delivery log has `count` deliveries. The log is written after the responses are sent. */
  const deliveriesOf = (workflowId: string, count: number): Promise<boolean> =>
    waitFor(async () => {
      const { value } = await dashboard.organization.call<{ deliveries: unknown[] }>(
        'list_webhook_deliveries',
        { workflow_id: workflowId },
      );
      return value.deliveries.length === count;
    });

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('can be created from each of the examples, and without an example', async () => {
    const { page, faults } = await dashboard.open('/workflows');
    await page.getByRole('heading', { name: 'No workflows yet' }).waitFor();
    for (const name of EXAMPLES) {
      await page.goto(`${dashboard.switchboard.url}/workflows/new`);
      await page.getByRole('button', { name: `Begin with “${name}”` }).click();
      const secret = page.getByRole('button', { name: 'I have stored the secret' });
      await secret.or(page.getByRole('tab', { name: 'Versions' })).waitFor();
      if (await secret.isVisible()) await secret.click();
      await page.getByText('Inactive').first().waitFor();
    }
    await page.goto(`${dashboard.switchboard.url}/workflows`);
    await page
      .locator('tbody tr')
      .nth(EXAMPLES.length - 1)
      .waitFor();
    await page.getByLabel('State').selectOption('Active');
    await page.getByRole('heading', { name: 'No workflow is in this state' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('are activated, tested with a dry run, started, and deleted', async () => {
    const { workflow } = await create({
      name: 'Test me',
      trigger: { type: 'manual' },
      steps: [{ id: 'look', tool: 'search_contacts' }],
      active: false,
    });
    const { page, faults } = await dashboard.open(`/workflows/${workflow.id}?tab=test`);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('alert').filter({ hasText: 'active' }).waitFor();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByRole('button', { name: 'Deactivate' }).waitFor();
    await page.getByLabel('Payload (JSON)').fill('[1]');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('This is not a JSON object.').waitFor();
    await page.getByLabel('Payload (JSON)').fill('{"a": 1}');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('A run could begin.').waitFor();
    const { value } = await dashboard.organization.call<{ runs: [] }>('list_runs', {
      workflow_id: workflow.id,
    });
    expect(value.runs).toEqual([]);
    await page.getByRole('button', { name: 'Start a run' }).click();
    await page.getByRole('heading', { name: 'Run of Test me' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/workflows');
    expect(faults).toEqual([]);
  });

  it('show the differences between versions, and let a person restore a version by keyboard', async () => {
    const { workflow } = await create({
      name: 'First',
      trigger: { type: 'manual' },
      steps: [PAUSE],
    });
    await dashboard.organization.call('update_workflow', {
      workflow_id: workflow.id,
      name: 'Second',
      steps: [
        { ...PAUSE, wait: { seconds: 2 } },
        { ...PAUSE, id: 'more' },
      ],
    });
    const { page, faults } = await dashboard.open(`/workflows/${workflow.id}`);
    await page.getByRole('tab', { name: 'Steps' }).focus();
    for (const name of ['Test', 'Versions']) {
      await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name }).and(page.locator(':focus')).waitFor();
    }
    await page.keyboard.press('Enter');
    await page.waitForURL('**?tab=versions');
    await page.getByRole('button', { name: 'Compare version 1 with the newest' }).click();
    await page.getByRole('region', { name: 'Before: /name' }).getByText('First').waitFor();
    await page.getByRole('heading', { name: 'more added' }).waitFor();
    await page.getByRole('button', { name: 'Restore version 1' }).focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Restore' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'First' }).waitFor();
    await page.getByText('restored from 1').waitFor();
    expect(faults).toEqual([]);
  });

  it('have a webhook whose secret can be created and replaced, and is shown once', async () => {
    const { workflow } = await create({
      name: 'Hook',
      trigger: { type: 'webhook' },
      steps: [PAUSE],
    });
    const { page } = await dashboard.open(`/workflows/${workflow.id}?tab=trigger`);
    await page.getByRole('button', { name: 'Make a secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Make a secret' }).click();
    const shown = page.getByRole('dialog', { name: 'The secret of the webhook' });
    const first = (await shown.getByRole('region').textContent())!;
    await shown.getByRole('button', { name: 'I have stored the secret' }).click();
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByLabel('The old secret stays valid for').selectOption('One hour'.toLowerCase());
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replace the secret' }).click();
    const second = (await shown.getByRole('region').textContent())!;
    expect(second).not.toBe(first);
    await shown.getByRole('button', { name: 'I have stored the secret' }).click();
    await page.getByText('The previous secret is valid until').waitFor();
    expect(await page.content()).not.toContain(second);
  });

  it('let a person choose the headers of deliveries that steps see, except headers with signatures', async () => {
    const { workflow } = await create({
      name: 'Shops',
      trigger: { type: 'webhook' },
      steps: [PAUSE],
    });
    const { page, faults } = await dashboard.open(`/workflows/${workflow.id}?tab=trigger`);
    const more = page.getByLabel('More headers');
    await more.fill('Stripe-Signature');
    await page.getByRole('button', { name: 'Save the headers' }).click();
    await page.getByText('it contains a secret or a signature').first().waitFor();
    await more.fill('X-Shop, x-region');
    await page.getByRole('button', { name: 'Save the headers' }).click();
    // The saved names are in lower case.
    await waitFor(async () => (await more.inputValue()) === 'x-shop, x-region');
    expect(faults).toEqual([]);
  });

  it('let a person choose the provider that signs deliveries, and enter the secret of this provider', async () => {
    const { workflow } = await create({
      name: 'Paid',
      trigger: { type: 'webhook' },
      steps: [PAUSE],
    });
    const { page, faults } = await dashboard.open(`/workflows/${workflow.id}?tab=trigger`);
    await page.getByLabel('Signature').selectOption('Stripe');
    await page.getByRole('button', { name: 'Save who signs' }).click();
    await page.getByText('needs a secret', { exact: true }).waitFor();
    await page.getByLabel('Secret of the provider').fill('whsec_the secret of Stripe');
    await page.getByRole('button', { name: 'Save who signs' }).click();
    await page.getByText('Deliveries must have the signature of Stripe.').waitFor();
    expect(await page.content()).not.toContain('the secret of Stripe');
    const typed = page.getByLabel('More headers');
    await typed.fill('x-shop');
    await page.getByLabel('Text and XML').check();
    await page.getByRole('button', { name: 'Save the formats' }).click();
    await waitFor(async () => {
      const { value } = await dashboard.organization.call<{ workflow: { trigger: object } }>(
        'get_workflow',
        { workflow_id: workflow.id },
      );
      return 'accept' in value.workflow.trigger;
    });
    await page.getByText('"accept"').waitFor();
    expect(await typed.inputValue()).toBe('x-shop');
    await fetch(workflow.webhook_url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    await deliveriesOf(workflow.id, 1);
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByText('401 The signature was missing or wrong').waitFor();
    await page.getByText('The signature of Stripe is expected.').click();
    await page.getByRole('definition').filter({ hasText: 'invalid_signature' }).waitFor();
    expect(faults).toEqual([]);
  });

  it.each([
    ['Shell', {}],
    ['Node.js', {}],
    ['Python', {}],
    ['Shell', { tolerance_seconds: 300 }],
    ['Node.js', { tolerance_seconds: 300 }],
    ['Python', { tolerance_seconds: 300 }],
  ] as const)(
    'show the mistake in a signature, and show %s code that signs correctly (%j)',
    async (...row) => {
      const [language, options] = row;
      const { workflow, secret } = await create({
        name: 'Signed',
        trigger: { type: 'webhook', secret: true, ...options },
        steps: [PAUSE],
      });
      await fetch(workflow.webhook_url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'x-webhook-signature': secret! },
        body: '{}',
      });
      await deliveriesOf(workflow.id, 1);
      const { page, faults } = await dashboard.open(`/workflows/${workflow.id}?tab=deliveries`);
      await page.getByText('The secret itself was sent. Replace it.').click();
      await page.getByRole('tab', { name: language }).click();
      const code = (await page
        .getByRole('tabpanel')
        .getByRole('region', { name: language })
        .textContent())!;
      const answer = await run(language, code, secret!);
      expect(answer).toContain('runId');
      await deliveriesOf(workflow.id, 2);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText(/^\d+ A run was started$/).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );
});

/** Runs a snippet as a sender would, and returns what it prints. */
async function run(language: 'Shell' | 'Node.js' | 'Python', code: string, secret: string) {
  const commands = {
    Shell: ['bash', '-c', code],
    'Node.js': [process.execPath, '--input-type=module', '-e', code],
    Python: ['python3', '-c', code],
  } as const;
  const [command, ...given] = commands[language];
  const env = { ...process.env, SECRET: secret };
  return (await promisify(execFile)(command, given, { env })).stdout;
}
