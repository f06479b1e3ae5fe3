import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { accountTexts } from '../../texts/account.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ownPath } from './own-path.ts';
import { SignFrame } from './sign-frame.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const texts = useTexts(accountTexts);
  const navigate = useNavigate();
  const { to } = useSearch({ from: '/sign-in' });
  return (
    <SignFrame
      title={texts.signIn}
      foot={
        <>
          {texts.noAccount} <Link to="/sign-up">{texts.signUp}</Link>
        </>
      }
    >
      <SignInForm onDone={() => void navigate({ href: ownPath(to) ?? '/', replace: true })} />
    </SignFrame>
  );
}
