import { expect, it } from 'vitest';
import { change, redo, startHistory, undo } from './edit-history.ts';

const named = (name: string) => ({ name, trigger: {}, steps: [] });

it('the history undoes and redoes changes, and undoes in one step all text that was typed into one field', () => {
  let history = startHistory(named('a'));
  history = change(history, named('ab'), 'name');
  history = change(history, named('abc'), 'name');
  history = change(history, named('x'));
  history = undo(history);
  expect(history.present.name).toBe('abc');
  history = undo(history);
  expect(history.present.name).toBe('a');
  expect(undo(history)).toBe(history);
  history = redo(redo(redo(history)));
  expect(history.present.name).toBe('x');
  expect(change(undo(history), named('y')).future).toEqual([]);
});
