import type { RaceStep } from '../definition.js';
import { parseLists } from './parallel-step.js';
import type { StepKind } from './step-kind.js';

/** The error code of a step that was canceled because another list of its race was done first. */
export const CANCELED = 'canceled';

export const RACE_STEP: StepKind<RaceStep> = {
  marks: ['race'],
  hint: '"race"',
  keys: ['race'],
  staysOpen: true,

  parse: (given, path, parser) => ({ race: parseLists(given.race, `${path}.race`, parser) }),

  lists: (step) => step.race.map((steps, index) => ({ member: `race[${index}]`, steps })),

  inside: ({ race }, { status }) =>
    status === 'running'
      ? {
          count: race.length,
          atOnce: race.length,
          isLoop: false,
          isRace: true,
          steps: (lane) => race[lane]!,
        }
      : [],
};
