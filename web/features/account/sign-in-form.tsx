import { type FormEvent, useState } from 'react';
import { type Session, useSignIn } from '../../api/session.ts';
import { accountTexts } from '../../texts/account.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import styles from './sign.module.css';

/** Asks for an e-mail address and a password. An error is shown at the password, and both texts stay in the fields. */
export function SignInForm({
  email: known = '',
  onDone,
}: {
  email?: string;
  onDone: (session: Session) => void;
}) {
  const texts = useTexts(accountTexts);
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const signIn = useSignIn();
  const isWrong = signIn.error?.status === 401;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!signIn.isPending) signIn.mutate({ email, password }, { onSuccess: onDone });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label={texts.email}
        type="email"
        name="email"
        autoComplete="username"
        isRequired
        value={email}
        onChange={setEmail}
      />
      <TextField
        label={texts.password}
        type="password"
        name="password"
        autoComplete="current-password"
        isRequired
        value={password}
        onChange={setPassword}
        fault={isWrong ? texts.wrong : undefined}
      />
      {signIn.error && !isWrong && <ErrorPanel error={signIn.error} />}
      <Button type="submit" look="primary" isWide isBusy={signIn.isPending}>
        {texts.signIn}
      </Button>
    </form>
  );
}
