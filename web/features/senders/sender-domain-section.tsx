import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { senderDomainsTexts } from '../../texts/sender-domains.texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type SenderDomain, senderDomainResult } from './sender-domain.readers.ts';
import styles from './senders.module.css';

const TONES: Readonly<Record<string, Tone>> = {
  verified: 'good',
  failing: 'warn',
  lost: 'bad',
  current: 'good',
  next: 'warn',
};

/** Returns the text of a code that the service sent, or the code itself when it has no text. */
function textOf(texts: Readonly<Record<string, string>>, code: string): string {
  return Object.hasOwn(texts, code) ? texts[code]! : code;
}

interface DomainProps {
  domain: SenderDomain;
  onRemove: () => void;
}

/** Shows a domain: its state, the records to publish, and the possible actions. */
export function SenderDomainSection({ domain, onRemove }: DomainProps) {
  const texts = useTexts(senderDomainsTexts);
  const toast = useToast();
  const changed = ['list_sender_domains'];
  const verify = useToolCall('verify_sender_domain', senderDomainResult, changed);
  const rotate = useToolCall('rotate_sender_key', senderDomainResult, changed);
  const given = { domain_id: domain.id };
  const hasNext = domain.keys.some(({ state }) => state === 'next');
  return (
    <Section title={domain.domain}>
      <p className={styles.state}>
        <Badge tone={TONES[domain.state] ?? 'calm'}>{textOf(texts.states, domain.state)}</Badge>
        {domain.result !== null && <span>{textOf(texts.results, domain.result)}</span>}
        {domain.state === 'failing' && <span>{texts.failing}</span>}
        {domain.checked_at !== null && (
          <span className={styles.calm}>
            {texts.checked} <Time value={domain.checked_at} />
          </span>
        )}
      </p>
      <div className={styles.buttons}>
        <Button
          size="small"
          isBusy={verify.isPending}
          onClick={() => verify.mutate(given, { onSuccess: () => toast(texts.verified) })}
        >
          {texts.verify}
          <span className="hidden-visually"> {domain.domain}</span>
        </Button>
        {!hasNext && (
          <Button
            size="small"
            isBusy={rotate.isPending}
            onClick={() => rotate.mutate(given, { onSuccess: () => toast(texts.rotated) })}
          >
            {texts.rotate}
            <span className="hidden-visually"> {domain.domain}</span>
          </Button>
        )}
        <Button size="small" onClick={onRemove}>
          {texts.remove}
          <span className="hidden-visually"> {domain.domain}</span>
        </Button>
      </div>
      {[verify, rotate].map(
        ({ error }, index) => error && <ErrorPanel key={index} error={error} />,
      )}
      <h3 className={styles.heading}>{texts.records}</h3>
      <Record title={texts.ownership} name={domain.record_name} value={domain.record_value} />
      {domain.keys.map((key) => (
        <div key={key.selector}>
          <p className={styles.state}>
            <Badge tone={TONES[key.state] ?? 'calm'}>{textOf(texts.keyStates, key.state)}</Badge>
            {key.state === 'current' && !key.is_found && <span>{texts.notFound}</span>}
            {key.state === 'previous' && <span>{texts.previous}</span>}
          </p>
          <Record
            title={`${texts.key} ${key.selector}`}
            name={key.record_name}
            value={key.record_value}
          />
        </div>
      ))}
    </Section>
  );
}

function Record({ title, name, value }: { title: string; name: string; value: string }) {
  const texts = useTexts(senderDomainsTexts);
  return (
    <div className={styles.record}>
      <CodeBlock title={`${title}: ${texts.name}`} code={name} isWrapped />
      <CodeBlock title={`${title}: ${texts.value}`} code={value} isWrapped />
    </div>
  );
}
