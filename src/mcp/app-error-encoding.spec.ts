import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { toolError } from './app-error-encoding.js';

describe(toolError.name, () => {
  it('shows an expected failure with its details and logs nothing', () => {
    const logged: string[] = [];
    const details = [{ path: 'email', message: 'is required' }];
    const shown = toolError(AppError.invalid('email is required.', details), (id) =>
      logged.push(id),
    );
    expect(shown).toEqual({
      error: { code: 'invalid_arguments', message: 'email is required.', details },
    });
    expect(logged).toEqual([]);
  });

  it.each([
    new Error('password=hunter2'),
    new AppError('internal', 'password=hunter2'),
    'password=hunter2',
    undefined,
  ])('shows of a bug only the id under which it is logged', (thrown) => {
    const logged: string[] = [];
    const shown = toolError(thrown, (id) => logged.push(id));
    expect(shown).toEqual({
      error: { code: 'internal', message: 'Internal error', error_id: logged[0] },
    });
    expect(logged).toHaveLength(1);
  });
});
