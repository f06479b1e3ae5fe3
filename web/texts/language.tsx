import { type ReactNode, createContext, useContext, useEffect, useMemo, useState } from 'react';
import type { Language } from './define-texts.ts';
import { readSetting, writeSetting } from './settings.ts';

interface Choice {
  language: Language;
  setLanguage: (language: Language) => void;
}

const LanguageContext = createContext<Choice>({ language: 'en', setLanguage: () => undefined });
const SETTING = 'language';

/** Provides the language that the person chose, or else the first language of the browser that has texts. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(initialLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choice = useMemo(
    () => ({
      language,
      setLanguage: (next: Language) => {
        writeSetting(SETTING, next);
        setLanguage(next);
      },
    }),
    [language],
  );
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

export function useLanguage(): Choice {
  return useContext(LanguageContext);
}

/** Returns the texts of an area in the language of the person. */
export function useTexts<T>(area: Record<Language, T>): T {
  return area[useLanguage().language];
}

function initialLanguage(): Language {
  const chosen = readSetting(SETTING);
  if (chosen === 'en' || chosen === 'de') return chosen;
  const known = navigator.languages.find((tag) => /^(en|de)\b/.test(tag));
  return known?.startsWith('de') ? 'de' : 'en';
}
