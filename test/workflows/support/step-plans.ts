import { expect } from 'vitest';
import type { Step } from '../../../src/workflows/definitions/definition.js';
import { type Journal, planOf } from '../../../src/workflows/definitions/step-engine.js';
import type { JournalState } from '../../../src/workflows/definitions/steps/step-kind.js';

/** Returns a step that calls a tool. */
export const tool = (id: string, more: object = {}): Step => ({ id, tool: 'echo', ...more });
/** The time at which every plan is made. */
export const NOW = 1000;

/** Describes the next entries of a plan as text, for example `run a, sleep b`. */
export function next(journal: Record<string, JournalState>, steps: readonly Step[]): string {
  return inWords(steps, new Map(Object.entries(journal)));
}

/** Describes a plan as text. Skips the entries of every iteration that `passed` lists. */
export function inWords(
  steps: readonly Step[],
  journal: Journal,
  passed?: ReadonlySet<string>,
): string {
  const { ready, waiting, end } = planOf(steps, journal, passed, NOW);
  const words = [
    ...ready.map(({ path }) => `run ${path}`),
    ...waiting.map(({ path }) => `sleep ${path}`),
  ];
  if (!end) return words.join(', ');
  expect(words).toEqual([]);
  return end.at ? `${end.status} at ${end.at.path}` : end.status;
}

export const ok: JournalState = { status: 'succeeded' };
export const then: JournalState = { status: 'succeeded', output: { branch: 'then' } };
export const otherwise: JournalState = { status: 'succeeded', output: { branch: 'else' } };
