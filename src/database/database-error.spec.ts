import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { mapDatabaseError } from './database-error.js';

const sqlError = (code: string): Error => Object.assign(new Error('sql text'), { code });

describe(mapDatabaseError, () => {
  it.each([
    ['40001', 'The database is not available. Try again.'],
    ['40P01', 'The database is not available. Try again.'],
    ['53300', 'The database is not available. Try again.'],
    ['57P01', 'The database is not available. Try again.'],
    ['ECONNREFUSED', 'The database is not available. Try again.'],
    ['55P03', 'The call took too long or is blocked. Try again.'],
    ['57014', 'The call took too long or is blocked. Try again.'],
  ])('maps %s to unavailable, with the reason', (code, message) => {
    expect(mapDatabaseError({ driverError: sqlError(code) })).toMatchObject({
      code: 'unavailable',
      message,
      retryAfterSeconds: 2,
    });
  });

  it.each(['23505', '22P02', '42501'])('returns %s unchanged', (code) => {
    const error = sqlError(code);
    expect(mapDatabaseError(error)).toBe(error);
  });

  it('returns an AppError unchanged', () => {
    const error = AppError.notFound('contact');
    expect(mapDatabaseError(error)).toBe(error);
  });
});
