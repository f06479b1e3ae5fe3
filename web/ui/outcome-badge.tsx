import { useTexts } from '../texts/language.tsx';
import { outcomeTexts } from '../texts/outcome.texts.ts';
import { Badge, type Tone } from './badge.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  ok: 'good',
  confirmation_required: 'warn',
  input_required: 'warn',
  canceled: 'calm',
  unlogged: 'calm',
};

/** Shows the outcome of a call. A code that this build does not know is shown unchanged. */
export function OutcomeBadge({ outcome }: { outcome: string }) {
  const words: Readonly<Record<string, string>> = useTexts(outcomeTexts).words;
  return <Badge tone={TONES[outcome] ?? 'bad'}>{words[outcome] ?? outcome}</Badge>;
}

/**
 * Returns the options of a filter by outcome: one option for all outcomes, and one for each outcome that this build
 * knows.
 */
export function useOutcomeOptions(every: string): { value: string; label: string }[] {
  const { words } = useTexts(outcomeTexts);
  return [
    { value: '', label: every },
    ...Object.entries(words).map(([value, label]) => ({ value, label })),
  ];
}
