import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectNoWaitsOf, type WaitCase } from '../operations/support/no-waits.js';
import { Stranger } from '../operations/support/stranger.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { createTemplate, publish } from './template.js';

let acme: TestOrganization;
let stranger: Stranger;

beforeAll(async () => {
  const switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  stranger = new Stranger(`${switchboard.url}/health/live`);
});
afterAll(() => stranger.close());

const html = (text: string) => ({ en: { email: { subject: 'Hello', html: text } } });

/** Lists HTML whose preparation or conversion to text once blocked the main thread for seconds or minutes. */
const COSTLY: readonly [what: string, text: string][] = [
  ['quoted lines', `${'<blockquote>'.repeat(190)}<pre>${'a\n'.repeat(100_000)}`],
  ['elements that are not open', `x${'<b>'.repeat(9000)}${'</i>'.repeat(9000)}`],
  ['links that are not closed', `x${'<link '.repeat(40_000)}`],
  ['words like hidden markup', `lqm${'q'.repeat(250_000)}`],
  [
    'many words like hidden markup',
    Array.from({ length: 30_000 }, (_, at) => `lqm${at}q`).join(''),
  ],
  ['values that are not escaped', '{{contact.id|raw}}\n'.repeat(800) + '\n'.repeat(200_000)],
  [
    'large rules for many elements',
    `<style>*{${'color:red;'.repeat(800)}}</style>${'<b>x'.repeat(4000)}`,
  ],
];

describe('publishing', () => {
  it('does not block other calls while it inlines many rules into many elements', async () => {
    const rules = Array.from(
      { length: 6000 },
      (_, index) => `.a${index} p:not(.b) > b {color:red}`,
    );
    const { id } = await createTemplate(acme, {
      variants: html(`<style>${rules.join('')}</style>x${'<p><b></b></p>'.repeat(4000)}`),
    });
    let isDone = false;
    const publishing = publish(acme, id).finally(() => {
      isDone = true;
    });
    // This call needs seconds of processor time. The answer to another call arrives first.
    expect((await acme.call('list_snippets')).status).toBe(200);
    expect(isDone).toBe(false);
    const { error } = await publishing;
    expect(error?.code ?? 'published').toMatch(/^(invalid_arguments|published)$/);
  });

  it('does not block other calls while it reads hostile HTML', { timeout: 120_000 }, async () => {
    const cases: WaitCase[] = [];
    for (const [what, text] of COSTLY) {
      const { id } = await createTemplate(acme, { variants: html(text) });
      cases.push([what, () => publish(acme, id)]);
    }
    const markup = '{{ contact.id }}'.repeat(900);
    const locales = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'sv', 'da'];
    const email = { subject: 'Hello', html: markup, text: markup };
    const { id } = await createTemplate(acme, {
      variants: Object.fromEntries(
        locales.map((locale) => [locale, { email, sms: { text: markup } }]),
      ),
    });
    cases.push(['much markup in many texts', () => publish(acme, id)]);
    await expectNoWaitsOf(stranger, cases);
  });
});

describe('sending', () => {
  it(
    'does not block other calls while it derives the text of hostile HTML',
    { timeout: 120_000 },
    async () => {
      const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
        email: 'html@example.com',
      });
      const given = { contact_id: value.contact.id, subject: 'Hello' };
      await expectNoWaitsOf(
        stranger,
        COSTLY.map(([what, text]) => [
          what,
          () => acme.call('send_message', { ...given, html: text }),
        ]),
      );
    },
  );
});
