import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useSignUp } from '../../api/session.ts';
import { accountTexts } from '../../texts/account.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { SignFrame } from './sign-frame.tsx';
import styles from './sign.module.css';

const FIELDS = ['organization_name', 'email', 'password'];

export function SignUpPage() {
  const texts = useTexts(accountTexts);
  const navigate = useNavigate();
  const [organization, setOrganization] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signUp = useSignUp();
  const { error } = signUp;
  const faultAt = (path: string): string | undefined =>
    error?.faults.find((fault) => fault.path === path)?.message;
  const isTaken = error?.code === 'email_taken';
  const isShownAtFields = isTaken || error?.faults.some(({ path }) => FIELDS.includes(path));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (signUp.isPending) return;
    signUp.mutate(
      { organization_name: organization, email, password },
      { onSuccess: () => void navigate({ to: '/', replace: true }) },
    );
  };
  return (
    <SignFrame
      title={texts.signUp}
      foot={
        <>
          {texts.hasAccount} <Link to="/sign-in">{texts.signIn}</Link>
        </>
      }
    >
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={texts.organization}
          name="organization"
          autoComplete="organization"
          isRequired
          value={organization}
          onChange={setOrganization}
          fault={faultAt('organization_name')}
        />
        <TextField
          label={texts.email}
          type="email"
          name="email"
          autoComplete="username"
          isRequired
          value={email}
          onChange={setEmail}
          fault={isTaken ? texts.taken : faultAt('email')}
        />
        <TextField
          label={texts.password}
          type="password"
          name="password"
          autoComplete="new-password"
          isRequired
          value={password}
          onChange={setPassword}
          description={texts.passwordAbout}
          fault={faultAt('password')}
        />
        {error && !isShownAtFields && <ErrorPanel error={error} shownPaths={FIELDS} />}
        <Button type="submit" look="primary" isWide isBusy={signUp.isPending}>
          {texts.signUp}
        </Button>
      </form>
    </SignFrame>
  );
}
