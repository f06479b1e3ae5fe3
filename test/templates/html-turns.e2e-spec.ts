import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createTemplate, publish } from './template.js';

const rules = Array.from({ length: 5000 }, (_, index) => `.a${index} p:not(.b) > b {color:red}`);
/** HTML whose CSS takes minutes to inline. */
const COSTLY = `<style>${rules.join('')}</style>x${'<p><b></b></p>'.repeat(4000)}`;
/** HTML with many rules and elements, as in a long newsletter. */
const LONG = [
  '<style>',
  ...Array.from({ length: 300 }, (_, index) => `.c${index}{color:red}`),
  '</style>',
  ...Array.from(
    { length: 400 },
    (_, index) => `<p class="c${index % 300}"><b class="c${(index * 7) % 300}">x</b></p>`,
  ),
].join('');
const LOCALES = ['da', 'de', 'en', 'es', 'fr', 'it', 'nl', 'pl'];
const SIMPLE = '<style>p{color:red}</style><p>Hello</p>';

let switchboard: RunningSwitchboard;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});

describe('processes for HTML', () => {
  const prepare = async (htmls: readonly string[]) => {
    const acme = await createOrganization(switchboard);
    const variants = Object.fromEntries(
      htmls.map((html, index) => [LOCALES[index], { email: { subject: 'Hello', html } }]),
    );
    return { acme, id: (await createTemplate(acme, { variants })).id };
  };
  /**
   * Publishes templates of two organizations, and then a template of a third organization. Returns the outcomes, and
   * how many of the first two publications had ended before the third publication ended.
   */
  const publishBehind = async (htmls: readonly string[]) => {
    const others = [await prepare(htmls), await prepare(htmls)];
    const { acme, id } = await prepare([SIMPLE]);
    let ended = 0;
    const outcomeOf = async (organization: TestOrganization, templateId: string) => {
      const { error } = await publish(organization, templateId);
      ended += 1;
      return error?.code ?? 'published';
    };
    const publishing = others.map((other) => outcomeOf(other.acme, other.id));
    // These answers show that the service has got the earlier requests.
    for (let count = 0; count < 5; count += 1) await acme.call('list_snippets');
    const third = await outcomeOf(acme, id);
    return { third, endedBefore: ended - 1, others: await Promise.all(publishing) };
  };

  it('become free in time for an organization while other organizations publish costly HTML', async () => {
    expect(await publishBehind([COSTLY])).toMatchObject({
      third: 'published',
      others: ['invalid_arguments', 'invalid_arguments'],
    });
  });

  it('serve another organization after one language of a template, before the next language', async () => {
    const htmls = LOCALES.map((_, index) => (index < LOCALES.length - 1 ? LONG : COSTLY));
    expect(await publishBehind(htmls)).toMatchObject({ third: 'published', endedBefore: 0 });
  });

  it('publish all languages of a template, although the work had to wait between two languages', async () => {
    expect(await publishBehind(LOCALES.map(() => LONG))).toMatchObject({
      third: 'published',
      others: ['published', 'published'],
    });
  });
});
