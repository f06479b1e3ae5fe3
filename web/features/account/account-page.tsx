import { useSession } from '../../api/session.ts';
import { accountTexts } from '../../texts/account.texts.ts';
import type { Language } from '../../texts/define-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { shellTexts } from '../../texts/shell.texts.ts';
import { SelectField } from '../../ui/field.tsx';
import { Facts, Page, Section } from '../../ui/page.tsx';
import { type Theme, useTheme } from '../../ui/theme.tsx';
import { VerificationNotice } from '../../ui/verification-notice.tsx';
import styles from './account.module.css';
import { NameForm } from './name-form.tsx';
import { PasswordSection } from './password-section.tsx';
import { SessionsSection } from './sessions-section.tsx';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const LANGUAGES: readonly Language[] = ['en', 'de'];

export function AccountPage() {
  const { page: texts, ...account } = useTexts(accountTexts);
  const shell = useTexts(shellTexts);
  const session = useSession();
  const { theme, setTheme } = useTheme();
  const { language, setLanguage } = useLanguage();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Page title={texts.title} about={texts.about}>
      <VerificationNotice />
      <Section title={texts.person}>
        <Facts
          facts={[
            [account.email, session?.user.email],
            [account.organization, session?.organization.name],
            [texts.id, <code key="id">{session?.user.id}</code>],
          ]}
        />
        {session && <NameForm name={session.user.name ?? ''} />}
      </Section>
      <SessionsSection />
      <PasswordSection />
      <Section title={texts.look} about={texts.lookAbout}>
        <div className={styles.look}>
          <SelectField
            label={shell.theme.label}
            value={theme}
            options={THEMES.map((value) => ({ value, label: shell.theme[value] }))}
            onChange={(value) => setTheme(THEMES.find((each) => each === value) ?? 'system')}
          />
          <SelectField
            label={shell.language.label}
            value={language}
            options={LANGUAGES.map((value) => ({ value, label: shell.language[value] }))}
            onChange={(value) => setLanguage(LANGUAGES.find((each) => each === value) ?? 'en')}
          />
        </div>
        <Facts facts={[[texts.timeZone, texts.timeZoneAbout(zone)]]} />
      </Section>
    </Page>
  );
}
