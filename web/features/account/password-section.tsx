import { type FormEvent, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useChangePassword } from '../../api/sessions.ts';
import { accountTexts } from '../../texts/account.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import styles from './account.module.css';

const FIELDS = ['current_password', 'new_password'];

/** Changes the password. A wrong current password is reported at its field, and the typed text stays. */
export function PasswordSection() {
  const { passwordChange: texts, passwordAbout } = useTexts(accountTexts);
  const session = useSession();
  const change = useChangePassword();
  const toast = useToast();
  const [present, setPresent] = useState('');
  const [next, setNext] = useState('');
  const { error } = change;
  const faultAt = (path: string): string | undefined =>
    error?.faults.find((fault) => fault.path === path)?.message;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (change.isPending) return;
    change.mutate(
      { current_password: present, new_password: next },
      {
        onSuccess: () => {
          setPresent('');
          setNext('');
          toast(texts.changed);
        },
      },
    );
  };
  const isShownAtFields = error?.faults.some(({ path }) => FIELDS.includes(path));
  return (
    <Section title={texts.title} about={texts.about}>
      <form className={styles.form} onSubmit={submit}>
        {/* Password managers store the new password with this name. */}
        <input
          type="email"
          autoComplete="username"
          value={session?.user.email ?? ''}
          readOnly
          hidden
        />
        <TextField
          label={texts.present}
          type="password"
          autoComplete="current-password"
          isRequired
          value={present}
          onChange={setPresent}
          fault={faultAt('current_password') && texts.wrong}
        />
        <TextField
          label={texts.next}
          type="password"
          autoComplete="new-password"
          isRequired
          value={next}
          onChange={setNext}
          description={passwordAbout}
          fault={faultAt('new_password')}
        />
        {error && !isShownAtFields && <ErrorPanel error={error} />}
        <div>
          <Button type="submit" isBusy={change.isPending}>
            {texts.change}
          </Button>
        </div>
      </form>
    </Section>
  );
}
