import { createHmac, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TimeBudgets } from '../../../turns/time-budgets.js';
import { diagnose } from './diagnose.js';
import { jsonRenderings } from './json-renderings.js';
import { SignatureDiagnoses } from './signature-diagnoses.js';

const DEPTH = 60;
const BODY = `${'['.repeat(DEPTH)}${'1,'.repeat(8131)}1${']'.repeat(DEPTH)}`;
const refused = (body: string, signatures: string) => ({
  body: Buffer.from(body),
  headers: { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': signatures },
  url: '/',
  receivedAt: new Date(),
  toleranceSeconds: 300,
  secrets: ['one secret', 'another secret'],
  previous: null,
  others: [],
});
const WRONG = Array.from({ length: 4 }, () => `v1,${randomBytes(64).toString('base64')}`).join(' ');

afterEach(() => void vi.restoreAllMocks());

describe(SignatureDiagnoses.name, () => {
  it('writes each rendering of a body once, even if a stranger sends many signatures', async () => {
    const stringify = vi.spyOn(JSON, 'stringify');
    await new SignatureDiagnoses().find('org_1', refused(BODY, WRONG));
    const written = stringify.mock.results.map(({ value }) => (value as string).length);
    expect(written.length).toBeLessThan(12);
    expect(Math.max(...written)).toBeLessThanOrEqual(4 * BODY.length);
  });

  it('can stop after each combination of a content and a key', () => {
    const steps = diagnose(refused(BODY, WRONG));
    let count = 1;
    while (!steps.next().done) count += 1;
    expect(count).toBeGreaterThan(10);
  });

  it('leaves out the diagnosis when the organization has used its processor time', async () => {
    const budgets = new TimeBudgets(() => 0);
    const diagnoses = new SignatureDiagnoses(budgets);
    budgets.spend('org_1', 20_000);
    expect(await diagnoses.find('org_1', refused('{}', WRONG))).toEqual(['not_examined']);
    expect(await diagnoses.find('org_2', refused('{}', WRONG))).toEqual(['no_match']);
  });

  it('names the mistake of the second signature when no mistake explains the first signature', async () => {
    const body = '{"a": 1}';
    const mac = createHmac('sha256', 'one secret').update('a.1.{"a":1}').digest('base64');
    const diagnoses = new SignatureDiagnoses(new TimeBudgets(() => 0));
    const [wrong] = WRONG.split(' ');
    expect(await diagnoses.find('org_1', refused(body, `${wrong} v1,${mac}`))).toContain(
      'reserialized',
    );
  });
});

it('jsonRenderings leaves out the texts that are more than four times as long as the body', () => {
  const steps = jsonRenderings(BODY);
  let step = steps.next();
  while (!step.done) step = steps.next();
  expect(Math.max(...step.value.map(({ length }) => length))).toBeLessThanOrEqual(4 * BODY.length);
});
