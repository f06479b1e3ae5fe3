import { Link, useLocation } from '@tanstack/react-router';
import { useSession } from '../../api/session.ts';
import { useVerification, useVerifyAddress } from '../../api/verification.ts';
import { useTexts } from '../../texts/language.tsx';
import { verificationTexts } from '../../texts/verification.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { VerificationMailButton } from '../../ui/verification-mail-button.tsx';
import { SignFrame } from './sign-frame.tsx';
import { SignInForm } from './sign-in-form.tsx';
import styles from './sign.module.css';

/**
 * Verifies the address of an account with the token in the fragment of the address. The page first asks the person,
 * because programs of mail servers open links. A person who must sign in does so on this page. So the token never gets
 * into the query of an address, which servers log.
 */
export function VerifyPage() {
  const texts = useTexts(verificationTexts);
  const token = useLocation({ select: ({ hash }) => hash });
  const session = useSession();
  return (
    <SignFrame title={texts.title} foot={<Link to="/">{texts.toDashboard}</Link>}>
      {session === undefined && <Skeleton rows={1} />}
      {session === null && (
        <>
          <p>{texts.signIn}</p>
          <SignInForm onDone={() => undefined} />
        </>
      )}
      {session && <Verification token={token} />}
    </SignFrame>
  );
}

function Verification({ token }: { token: string }) {
  const texts = useTexts(verificationTexts);
  const { data, error, refetch } = useVerification();
  const verify = useVerifyAddress();
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton rows={1} />;
  if (data.is_verified) return <p role="status">{texts.done(data.email)}</p>;
  const isInvalid = verify.error?.status === 422;
  if (token === '' || isInvalid) {
    return (
      <div className={styles.form}>
        <p role="alert">{token === '' ? texts.incomplete : texts.invalid}</p>
        <VerificationMailButton email={data.email} />
      </div>
    );
  }
  return (
    <div className={styles.form}>
      <p>{texts.question(data.email)}</p>
      {verify.error && <ErrorPanel error={verify.error} />}
      <Button
        look="primary"
        isWide
        isBusy={verify.isPending}
        onClick={() => {
          if (!verify.isPending) verify.mutate(token);
        }}
      >
        {texts.confirm}
      </Button>
    </div>
  );
}
