import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { developerTexts } from '../../texts/developer.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { ConnectSection } from './connect-section.tsx';
import { KeySection } from './key-section.tsx';

/**
 * Shows Settings → Developer. The new key is only in the memory of this page, and is lost when the person leaves the
 * page.
 */
export function DeveloperPage() {
  const texts = useTexts(developerTexts);
  const [key, setKey] = useState<string>();
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={
        <Link to="/settings/developer/calls" className={buttonClass()}>
          {texts.calls}
        </Link>
      }
    >
      <KeySection shownKey={key} onKey={setKey} />
      <ConnectSection apiKey={key} />
    </Page>
  );
}
