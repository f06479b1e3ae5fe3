import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, startDashboard } from './support/dashboard.js';

/** An answer that replaces the answer of the service. Without a status, the connection breaks. */
interface Failure {
  status?: number;
  headers?: Record<string, string>;
  problem?: object;
}

const FAILURES: [name: string, failure: Failure, says: string][] = [
  ['a conflict', { status: 409, problem: { code: 'conflict', detail: 'In use.' } }, 'In use.'],
  ['a body that is too large', { status: 413 }, 'too large to send. Shorten it'],
  ['too many requests', { status: 429, headers: { 'Retry-After': '30' } }, 'Try again in 30 sec'],
  ['a service that is down', { status: 503 }, 'cannot answer at the moment. Try again'],
  [
    'a fault of the service',
    { status: 500, problem: { code: 'internal', error_id: 'e-7' } },
    'e-7',
  ],
  ['a page of a proxy', { status: 502 }, 'cannot answer at the moment. Try again'],
  ['no connection', {}, 'cannot be reached. Check your connection'],
];

/** A form in which a person has typed something. */
interface Form {
  page: Page;
  /** The pattern of the address to which the form is sent. */
  sentTo: string;
  type: (text: string) => Promise<void>;
  typed: () => Promise<string>;
  /** Clicks the button. With `isForced`, it clicks even a disabled button. */
  save: (isForced?: boolean) => Promise<void>;
  /** Waits until the page shows the typed text as saved. */
  saved: (text: string) => Promise<void>;
}

describe('failures', () => {
  let dashboard: Dashboard;
  const forms = new Map<string, Form>();
  let counter = 0;

  const create = async (tool: string, given: object): Promise<string> => {
    const { value } = await dashboard.organization.call<Record<string, { id: string }>>(
      tool,
      given,
    );
    return Object.values(value)[0]!.id;
  };
  const openContact = async (): Promise<Form> => {
    const id = await create('create_contact', { first_name: 'Ada', email: 'ada@example.com' });
    const { page } = await dashboard.open(`/contacts/${id}`);
    const dialog = page.getByRole('dialog', { name: 'Edit the contact' });
    const field = dialog.getByLabel('Last name');
    return {
      page,
      sentTo: '**/api/tools/update_contact',
      type: async (text) => {
        if (!(await dialog.isVisible())) await page.getByRole('button', { name: 'Edit' }).click();
        await field.fill(text);
      },
      typed: () => field.inputValue(),
      save: (force = false) => dialog.getByRole('button', { name: 'Save' }).click({ force }),
      saved: (text) => page.getByRole('heading', { name: `Ada ${text}` }).waitFor(),
    };
  };
  const openEditor = async (): Promise<Form> => {
    const id = await create('create_workflow', {
      name: 'Edit me',
      trigger: { type: 'manual' },
      steps: [{ id: 'one', wait: { days: 1 } }],
    });
    const { page } = await dashboard.open('/sign-in', { isSignedIn: false });
    // The form has its own session, because the last test ends the session of the form of a contact.
    const { switchboard, organization } = dashboard;
    const { email, password } = organization;
    await page.request.post(`${switchboard.url}/api/auth/sign-in`, {
      data: { email, password },
      headers: { Origin: switchboard.url },
    });
    await page.goto(`${switchboard.url}/workflows/${id}`);
    const field = page.getByRole('textbox', { name: 'Name' });
    return {
      page,
      sentTo: '**/api/tools/update_workflow',
      type: (text) => field.fill(text),
      typed: () => field.inputValue(),
      save: (force = false) => page.getByRole('button', { name: 'Save' }).click({ force }),
      saved: (text) => page.getByRole('heading', { name: text }).waitFor(),
    };
  };

  beforeAll(async () => {
    dashboard = await startDashboard();
    forms.set('a contact', await openContact());
    forms.set('a workflow', await openEditor());
  });
  afterAll(() => dashboard.close());

  /** Runs `work` in all forms at the same time, because `work` mostly waits. */
  const inEachForm = async (work: (form: Form) => Promise<void>): Promise<void> => {
    await Promise.all([...forms.values()].map(work));
  };

  it.each(FAILURES)(
    'an error leaves the forms of a contact and of a workflow unchanged, and says what to do: %s',
    async (_, { status, headers = {}, problem }, says) => {
      counter += 1;
      const text = `Typed ${counter}`;
      await inEachForm(async (form) => {
        const { page } = form;
        await page.route(form.sentTo, (route) =>
          status === undefined
            ? route.abort()
            : route.fulfill({
                status,
                headers,
                ...(problem
                  ? { contentType: 'application/problem+json', body: JSON.stringify(problem) }
                  : { contentType: 'text/html', body: '<h1>Error</h1>' }),
              }),
        );
        await form.type(text);
        await form.save();
        await page.getByRole('alert').filter({ hasText: says }).waitFor();
        expect(await form.typed()).toBe(text);
        await page.unroute(form.sentTo);
        await form.save();
        await form.saved(text);
      });
    },
  );

  it('a slow answer shows a notice above the forms of a contact and of a workflow, which are sent only once', () =>
    inEachForm(async (form) => {
      const { page } = form;
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      let requests = 0;
      await page.route(form.sentTo, async (route) => {
        requests += 1;
        await released;
        await route.continue();
      });
      await form.type('Slow');
      await form.save();
      const notice = page.getByRole('status').filter({ hasText: 'takes long to answer' });
      await notice.waitFor();
      await form.save(true);
      expect(await form.typed()).toBe('Slow');
      release();
      await form.saved('Slow');
      await notice.waitFor({ state: 'detached' });
      expect(requests).toBe(1);
      await page.unroute(form.sentTo);
    }));

  it('an error of a reload is shown above the rows that the page already has', async () => {
    const { page } = await dashboard.open('/contacts');
    const row = page.getByRole('link', { name: 'Ada' });
    await row.waitFor();
    await page.route('**/api/tools/search_contacts', (route) =>
      route.fulfill({ status: 503, headers: { 'Retry-After': '60' } }),
    );
    await create('create_contact', { first_name: 'Grace', email: 'grace@example.com' });
    const failure = page.getByRole('alert').filter({ hasText: 'Try again in 60 seconds' });
    await failure.waitFor();
    expect(await row.isVisible()).toBe(true);
    await page.unroute('**/api/tools/search_contacts');
    await failure.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Grace' }).waitFor();
    await failure.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('a page whose code cannot be loaded shows a button that loads it again', async () => {
    const { page } = await dashboard.open('/messages');
    await page.getByRole('heading', { name: 'No messages yet' }).waitFor();
    const code = /contacts-page.*\.js$/;
    await page.route(code, (route) => route.abort());
    await page.getByRole('link', { name: 'Contacts', exact: true }).click();
    await page.getByText('Switchboard was updated, or cannot be reached.').waitFor();
    await page.unroute(code);
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('heading', { name: 'Contacts' }).waitFor();
    await page.context().close();
  });

  it.each([
    ['refused', undefined],
    ['cut as soon as it is open', 'event: ready\ndata: {}\n\n'],
  ])('a stream of changes that is %s shows a notice until it works again', async (_how, body) => {
    const { page: first } = await dashboard.open('/nothing');
    const context = first.context();
    await first.close();
    const stream = '**/api/changes';
    await context.route(stream, (route) =>
      body === undefined
        ? route.abort()
        : route.fulfill({ contentType: 'text/event-stream', body }),
    );
    const { page } = await dashboard.open('/contacts', { context });
    const notice = page.getByText('This page may show old data until it is back.');
    await notice.waitFor();
    const name = body === undefined ? 'Mary' : 'Joan';
    await create('create_contact', { first_name: name, email: `${name}@example.com` });
    await context.unroute(stream);
    await page.getByRole('link', { name }).waitFor();
    await notice.waitFor({ state: 'detached' });
    await context.close();
  });

  // This test is the last one, because a sign-in ends the earlier session of the profile, which other tests use.
  it.each(['a contact', 'a workflow'])(
    'an ended session asks for a sign-in above the form of %s, which can be saved afterwards',
    async (name) => {
      const form = forms.get(name)!;
      const { page } = form;
      await page.route(form.sentTo, (route) =>
        route.fulfill({ status: 401, json: { code: 'unauthenticated' } }),
      );
      await form.type('Signed out');
      const refused = page.waitForResponse((response) => response.status() === 401);
      await form.save();
      await refused;
      await page.unroute(form.sentTo);
      const question = page.getByRole('dialog', { name: 'Your session has ended' });
      await question.getByLabel('Password').fill(dashboard.organization.password);
      await page.keyboard.press('Enter');
      await question.waitFor({ state: 'detached' });
      await page.getByRole('alert').filter({ hasText: 'Your session had ended' }).waitFor();
      expect(await form.typed()).toBe('Signed out');
      await form.save();
      await form.saved('Signed out');
    },
  );
});
