import { useTexts } from '../../texts/language.tsx';
import { outcomeTexts } from '../../texts/outcome.texts.ts';
import { runReasonsTexts } from '../../texts/run-reasons.texts.ts';

/** Returns the words for the codes of errors that steps have. */
export function useErrorWords(): Readonly<Record<string, string>> {
  const { words } = useTexts(outcomeTexts);
  const { codes } = useTexts(runReasonsTexts);
  return { ...words, ...codes };
}
