import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecipe } from '../documentation/support/recipe.js';
import type { TestMessage } from '../messaging/support.js';
import { type Sink, startSink } from '../outbound/support/sink.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, runUntil, trigger } from '../workflows/support/workflow-client.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('the pages for workflow recipes', () => {
  let dashboard: Dashboard;
  let site: Sink;
  let html = '';

  beforeAll(async () => {
    dashboard = await sharedDashboard();
    site = await startSink('127.0.0.1', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(html);
    });
  });
  afterAll(async () => {
    await dashboard.close();
    await site.close();
  });

  /** Saves the workflow of a page, and shows its HTML on a site of another origin. */
  const follow = async (name: string) => {
    const { workflow, html: shown = '' } = readRecipe(name, '');
    const { url } = dashboard.switchboard;
    const { steps, ...more } = workflow;
    const saved = await createWorkflow(dashboard.organization, steps, more);
    html = shown
      .replace('https://switchboard.example.com/api/webhooks/workflow/...', saved.webhook_url!)
      .replace('https://switchboard.example.com', url);
    return { id: saved.id, page: (await dashboard.open('/health', { isSignedIn: false })).page };
  };
  const runOf = (workflowId: string) =>
    waitFor(async () => {
      const { value } = await dashboard.organization.call<{ runs: { id: string }[] }>('list_runs', {
        workflow_id: workflowId,
      });
      return value.runs[0]?.id;
    });
  const address = (hash = '') => `http://127.0.0.1:${site.port}/page.html${hash}`;

  it('send a form from another site to the webhook, and show a text of thanks', async () => {
    const { id, page } = await follow('html-form');
    await page.goto(address());
    await page.getByLabel('Name').fill('Mary');
    await page.getByLabel('E-mail').fill('mary@example.com');
    await page.getByLabel('Question').fill('Do you ship to Vienna?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you. We answer soon.').waitFor();
    const run = await runUntil(dashboard.organization, await runOf(id), 'succeeded', 'failed');
    expect(run).toMatchObject({ status: 'succeeded', trigger: { payload: { name: 'Mary' } } });
  });

  it('continue a run with a button, and refuse a link to another site', async () => {
    const { id, page } = await follow('approval-by-link');
    const payload = { email: 'ada@example.com', amount: 42, reason: 'Broken' };
    const runId = await trigger(dashboard.organization, id, payload);
    await runUntil(dashboard.organization, runId, 'waiting');
    const { value } = await dashboard.organization.call<{ messages: TestMessage[] }>(
      'list_messages',
      {},
    );
    const message = value.messages.find(({ to }) => to === 'manager@example.com')!;
    await page.goto(address('#https://evil.example.com/api/webhooks/resume/'));
    await page.getByText('This link is not complete.').waitFor();
    // Without the blank page, only the part behind # would change, and the browser would not reload the page.
    await page.goto('about:blank');
    await page.goto(address(/#\S+$/.exec(message.body)![0]));
    await page.getByLabel('Note').fill('Sorry');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Thank you. Your answer was recorded.' }).waitFor();
    const run = await runUntil(dashboard.organization, runId, 'succeeded', 'failed');
    expect(run.steps.find((step) => step.id === 'approval')!.output).toMatchObject({
      event: { decision: 'approve', note: 'Sorry' },
    });
  });
});
