import type { Step } from './definition.ts';
import type { Output } from './earlier-outputs.ts';

/** The properties of the components that show the fields of a step. */
export interface FieldsProps {
  step: Step;
  outputs: readonly Output[];
  faultOf: (member: string) => string | undefined;
  onChange: (step: Step, label: string) => void;
}

/** Returns a step with the given member, or without this member when its value is empty. */
export function withMember(step: Step, name: string, value: unknown): Step {
  if (value !== undefined && value !== '') return { ...step, [name]: value };
  return Object.fromEntries(Object.entries(step).filter(([each]) => each !== name));
}

/** Returns the number in a text. Returns any other text unchanged, so that the service can report its fault. */
export function toNumber(text: string): number | string {
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
