import { useState } from 'react';
import { useTexts } from '../texts/language.tsx';
import { uiTexts } from '../texts/ui.texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

const SHOWN_MS = 2000;

interface CopyButtonProps {
  text: string;
  /** The name of the copied text, which screen readers announce with the button. */
  label?: string;
  onCopied?: () => void;
}

/**
 * Copies a text, and shows whether this worked. Copying fails on a page without https, because browsers give such a
 * page no clipboard.
 */
export function CopyButton({ text, label, onCopied }: CopyButtonProps) {
  const texts = useTexts(uiTexts);
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
      onCopied?.();
    } catch {
      setState('failed');
    }
    setTimeout(() => setState('ready'), SHOWN_MS);
  };
  return (
    <>
      <Button
        look="plain"
        size="small"
        aria-label={label && `${texts.copy}: ${label}`}
        onClick={() => void copy()}
      >
        <Icon name={state === 'copied' ? 'check' : 'copy'} />
        {state === 'copied' ? texts.copied : texts.copy}
      </Button>
      <span className="hidden-visually" role="status">
        {state === 'copied' && texts.copied}
        {state === 'failed' && texts.copyFailed}
      </span>
    </>
  );
}
