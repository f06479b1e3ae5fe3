import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { createTemplate, publish } from './template.js';

let acme: TestOrganization;

beforeAll(async () => {
  acme = await createOrganization(await sharedSwitchboard());
});

const html = (text: string) => ({ en: { email: { subject: 'Hello', html: text } } });

describe('publishing', () => {
  it('lets others work while it inlines many rules into many elements', async () => {
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
    // It needs seconds of a processor. The answer to another call comes before it.
    expect((await acme.call('list_snippets')).status).toBe(200);
    expect(isDone).toBe(false);
    const { error } = await publishing;
    expect(error?.code ?? 'published').toMatch(/^(invalid_arguments|published)$/);
  });
});
