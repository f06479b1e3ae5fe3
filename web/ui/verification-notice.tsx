import { useVerification } from '../api/verification.ts';
import { useFormats } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { verificationTexts } from '../texts/verification.texts.ts';
import { VerificationMailButton } from './verification-mail-button.tsx';
import styles from './verification-notice.module.css';

/** Tells the owner of a new organization how many messages the organization may send until the address is verified. */
export function VerificationNotice() {
  const texts = useTexts(verificationTexts);
  const formats = useFormats();
  const { data } = useVerification();
  if (!data || data.messages_a_day === null || data.verified_messages_a_day === null) return null;
  const [before, after] = [data.messages_a_day, data.verified_messages_a_day].map((count) =>
    formats.number(count),
  );
  return (
    <div className={styles.notice}>
      <div className={styles.line}>
        <span>{texts.notVerified(data.email, before!, after!)}</span>
        <VerificationMailButton email={data.email} />
      </div>
    </div>
  );
}
