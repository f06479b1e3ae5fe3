import { describe, expect, it } from 'vitest';
import { AppError } from '../../errors/app-error.js';
import { ShownBug } from '../../errors/shown-bug.js';
import { toStepError } from './step-error.js';

const AWAY = new AppError('unavailable', 'Away.');

describe(toStepError, () => {
  it('shows expected errors, and only the id of any other error', () => {
    expect(toStepError(AWAY, 'id-1')).toEqual({ code: 'unavailable', message: 'Away.' });
    expect(toStepError(new Error('secret'), 'id-1')).toEqual({
      code: 'internal',
      message: 'Internal error id-1.',
    });
  });

  it('shows the message of a bug in development', () => {
    expect(toStepError(new ShownBug(new Error('Call it.')), 'id-1')).toEqual({
      code: 'internal',
      message: 'Internal error: Call it. Error id: id-1.',
    });
  });
});
