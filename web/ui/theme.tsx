import { type ReactNode, createContext, useContext, useMemo, useState } from 'react';
import { readSetting, writeSetting } from '../texts/settings.ts';

export type Theme = 'system' | 'light' | 'dark';

interface Choice {
  theme: Theme;
  setTheme: (theme: Theme) => void;
}

const ThemeContext = createContext<Choice>({ theme: 'system', setTheme: () => undefined });
const SETTING = 'theme';

/** Provides the theme that the person chose. `public/start.js` has applied it before the first paint. */
export function ThemeProvider({ children }: { children: ReactNode }) {
  const [theme, setTheme] = useState<Theme>(() => {
    const chosen = readSetting(SETTING);
    return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
  });
  const choice = useMemo(
    () => ({
      theme,
      setTheme: (next: Theme) => {
        writeSetting(SETTING, next === 'system' ? undefined : next);
        if (next === 'system') delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = next;
        setTheme(next);
      },
    }),
    [theme],
  );
  return <ThemeContext value={choice}>{children}</ThemeContext>;
}

export function useTheme(): Choice {
  return useContext(ThemeContext);
}
