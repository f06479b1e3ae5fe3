import type { editorTexts } from '../../texts/editor.texts.ts';

type Texts = (typeof editorTexts)['en'];

/** Returns the name of a list inside a step, for people. */
export function listName(name: string, texts: Texts): string {
  const number = /^(?:parallel|race) (\d+)$/.exec(name)?.[1];
  if (number !== undefined) return texts.parallelList(Number(number));
  const names: Readonly<Record<string, string>> = texts.lists;
  return names[name] ?? name;
}
