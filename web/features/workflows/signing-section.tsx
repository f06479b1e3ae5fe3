import { useState } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { type SigningSnippet, signingSnippets } from './signing-code.ts';

interface SigningProps {
  label: string;
  url: string;
  isTimed: boolean;
}

/** Shows programs in four languages that sign and send a delivery. */
export function SigningSection({ label, url, isTimed }: SigningProps) {
  const [language, setLanguage] = useState<SigningSnippet['language']>('Shell');
  return (
    <Tabs
      label={label}
      value={language}
      onChange={setLanguage}
      tabs={signingSnippets({ url, isTimed }).map((snippet) => ({
        value: snippet.language,
        label: snippet.language,
        content: <CodeBlock title={snippet.language} code={snippet.code} />,
      }))}
    />
  );
}
