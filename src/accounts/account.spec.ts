import { validate } from 'class-validator';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SignUpBody } from './account.js';

describe(SignUpBody, () => {
  afterEach(() => vi.restoreAllMocks());

  it('does not normalize an address that is too long, because normalization takes quadratic time', async () => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    const email = `a${'\u0301'.repeat(8000)}${'\u0323'.repeat(8000)}@example.com`;
    const body = Object.assign(new SignUpBody(), {
      email,
      password: 'a long enough password',
      organization_name: 'Analytical Engines',
    });
    const [error] = await validate(body);
    expect(error).toMatchObject({ property: 'email' });
    expect(normalize).not.toHaveBeenCalled();
  });
});
