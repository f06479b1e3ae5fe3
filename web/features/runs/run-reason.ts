import type { runReasonsTexts } from '../../texts/run-reasons.texts.ts';

type Words = (typeof runReasonsTexts)['en'];

/** Returns the reason of a run in words. A reason that this build does not know is returned unchanged. */
export function describeReason(reason: string, { reasons, ofStep }: Words): string {
  const [code = '', ...rest] = reason.split(':');
  // The address of a page can contain any reason, also `constructor`, which is a member of every object.
  if (isKeyOf(ofStep, code)) return ofStep[code](rest.join(':'));
  return isKeyOf(reasons, reason) ? reasons[reason] : reason;
}

function isKeyOf<T extends object>(words: T, name: string): name is Extract<keyof T, string> {
  return Object.hasOwn(words, name);
}

/** Returns the options of a filter by reason: all known reasons, and the `others`, such as `step_failed:person`. */
export function reasonOptions(
  words: Words,
  others: readonly string[],
): { value: string; label: string }[] {
  const known = [...Object.keys(words.ofStep), ...Object.keys(words.reasons)];
  const codes = [...new Set([...known, ...others])].filter((code) => code !== '');
  return [
    { value: '', label: words.any },
    ...codes.map((value) => ({ value, label: describeReason(value, words) })),
  ];
}
