import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSignOut } from '../api/session.ts';
import type { Language } from '../texts/define-texts.ts';
import { useLanguage, useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { Menu, MenuChoice, MenuItem, MenuLine } from '../ui/menu.tsx';
import { type Theme, useTheme } from '../ui/theme.tsx';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const LANGUAGES: readonly Language[] = ['en', 'de'];

interface AccountMenuProps {
  label: string;
  trigger: ReactNode;
  isWide?: boolean | undefined;
}

/**
 * Shows the menu of the account: the theme, the language, and the button that signs out. The menu is open when it
 * appears.
 */
export function AccountMenu({ label, trigger, isWide }: AccountMenuProps) {
  const texts = useTexts(shellTexts);
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { theme, setTheme } = useTheme();
  const { language, setLanguage } = useLanguage();
  return (
    <Menu label={label} isWide={isWide ?? false} isOpenAtFirst trigger={trigger}>
      <MenuItem icon="person" onSelect={() => void navigate({ to: '/settings/account' })}>
        {texts.account}
      </MenuItem>
      <MenuLine />
      <MenuChoice
        label={texts.theme.label}
        value={theme}
        options={THEMES.map((value) => ({ value, label: texts.theme[value] }))}
        onChange={setTheme}
      />
      <MenuLine />
      <MenuChoice
        label={texts.language.label}
        value={language}
        options={LANGUAGES.map((value) => ({ value, label: texts.language[value] }))}
        onChange={setLanguage}
      />
      <MenuLine />
      <MenuItem
        onSelect={() => signOut.mutate(undefined, { onSuccess: () => location.assign('/sign-in') })}
      >
        {texts.signOut}
      </MenuItem>
    </Menu>
  );
}
