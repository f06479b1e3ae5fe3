import { describe, expect, it } from 'vitest';
import { ONE_PLAN, PreparedStatements } from './prepared-statements.js';

const LOOK_UP = 'select id from contacts where id = $1';

function sentThrice(statements: PreparedStatements, text: string): string | undefined {
  statements.nameOf(text);
  statements.nameOf(text);
  return statements.nameOf(text);
}

describe('PreparedStatements', () => {
  it('keeps a statement that comes again and again, under one name of its own', () => {
    const statements = new PreparedStatements();
    expect(statements.nameOf(LOOK_UP)).toBeUndefined();
    expect(statements.nameOf(LOOK_UP)).toBeUndefined();
    const name = statements.nameOf(LOOK_UP);
    expect(name).toBeDefined();
    expect(statements.nameOf(LOOK_UP)).toBe(name);
    expect(sentThrice(statements, 'select name from contacts where id = $1')).not.toBe(name);
  });

  it.each([
    'select id from contacts where name like $1',
    'select id from runs where organization_id = $1 order by created_at LIMIT 21',
    'select id from runs where organization_id = $1 limit $2',
    'select c.* from contacts c where id = $1',
    'update contacts set name = $1 RETURNING *',
  ])('keeps no plan that depends on the values, or on columns: %s', (text) => {
    expect(sentThrice(new PreparedStatements(), text)).toBeUndefined();
  });

  it('keeps a look-up of one row', () => {
    expect(sentThrice(new PreparedStatements(), `${LOOK_UP} LIMIT 1`)).toBeDefined();
  });

  it('keeps what says that it has one plan', () => {
    const text = 'select id from contacts where id = any($1) limit 20';
    expect(sentThrice(new PreparedStatements(), text)).toBeUndefined();
    expect(sentThrice(new PreparedStatements(), `${ONE_PLAN} ${text}`)).toBeDefined();
  });

  it('keeps a bounded number, and goes on without', () => {
    const statements = new PreparedStatements();
    const names = Array.from({ length: 5000 }, (_, index) =>
      sentThrice(statements, `${LOOK_UP} and n = ${index}`),
    ).filter((name) => name !== undefined);
    expect(names).toHaveLength(200);
  });
});
