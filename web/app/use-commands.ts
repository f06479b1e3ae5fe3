import { useNavigate } from '@tanstack/react-router';
import { useSignOut } from '../api/session.js';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.js';
import type { IconName } from '../ui/icon.tsx';
import { useTheme } from '../ui/theme.tsx';
import { PAGE_SECTIONS } from './pages.js';

export interface Command {
  /** The name that identifies the command. */
  name: string;
  label: string;
  group: string;
  icon: IconName;
  run: () => void;
}

/** Returns the commands of the command menu. */
export function useCommands(): Command[] {
  const texts = useTexts(shellTexts);
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setTheme } = useTheme();
  const { language, setLanguage } = useLanguage();
  const pages = PAGE_SECTIONS.flatMap((section) =>
    section.pages.map((page): Command => ({
      name: page.name,
      label: texts.pages[page.name],
      group: section.name ? texts.sections[section.name] : texts.navigation,
      icon: page.icon,
      run: () => void navigate({ to: page.to }),
    })),
  );
  const themes = (['light', 'dark', 'system'] as const).map((theme): Command => ({
    name: `theme-${theme}`,
    label: `${texts.theme.label}: ${texts.theme[theme]}`,
    group: texts.account,
    icon: 'more',
    run: () => setTheme(theme),
  }));
  const other = language === 'en' ? 'de' : 'en';
  return [
    ...pages,
    ...themes,
    {
      name: 'language',
      label: `${texts.language.label}: ${texts.language[other]}`,
      group: texts.account,
      icon: 'more',
      run: () => setLanguage(other),
    },
    {
      name: 'sign-out',
      label: texts.signOut,
      group: texts.account,
      icon: 'person',
      run: () => signOut.mutate(undefined, { onSuccess: () => location.assign('/sign-in') }),
    },
  ];
}
