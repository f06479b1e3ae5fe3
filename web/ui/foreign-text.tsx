import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { foreignLine } from './cut-text.ts';

/**
 * Shows one line of text from outside, such as a name. Invisible characters are shown as codes, the direction of the
 * text does not affect the surrounding text, and a long text is cut.
 */
export function ForeignText({ text, most }: { text: string; most?: number }) {
  const { blank } = useTexts(uiTexts);
  // Without visible text, a link around this element could not be seen. So an empty line gets a placeholder.
  return <bdi>{foreignLine(text, most) || blank}</bdi>;
}
