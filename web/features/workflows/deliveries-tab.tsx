import { Link } from '@tanstack/react-router';
import { useTool } from '../../api/tools.ts';
import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { webhooksTexts } from '../../texts/webhooks.texts.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Facts } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { Time } from '../../ui/time.tsx';
import { senderOf } from './senders.ts';
import { SigningSection } from './signing-section.tsx';
import { type Delivery, type Workflow, deliveriesResult } from './workflow.readers.ts';
import styles from './workflows.module.css';

const MOST = 100;
const MOST_ADVICE = 1000;
const TONES: Readonly<Record<string, Tone>> = { accepted: 'good', refused: 'bad' };

/** Shows the deliveries to the webhook, with the mistakes in their signatures and code that signs correctly. */
export function DeliveriesTab({ workflow }: { workflow: Workflow }) {
  const texts = useTexts(webhooksTexts).deliveries;
  const given = { workflow_id: workflow.id, limit: MOST };
  const query = useTool('list_webhook_deliveries', given, deliveriesResult);
  if (workflow.webhook_url === null) return <p>{texts.noWebhook}</p>;
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={6} />;
  const { deliveries } = query.data;
  return (
    <>
      <div>
        <Button size="small" isBusy={query.isFetching} onClick={() => void query.refetch()}>
          {texts.refresh}
        </Button>
      </div>
      {deliveries.length === 0 ? (
        <EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>
      ) : (
        <ul className={styles.deliveries}>
          {deliveries.map((delivery) => (
            <li key={delivery.id}>
              <DeliveryEntry delivery={delivery} workflow={workflow} url={workflow.webhook_url} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface EntryProps {
  delivery: Delivery;
  workflow: Workflow;
  url: string | null;
}

function DeliveryEntry({ delivery, workflow, url }: EntryProps) {
  const texts = useTexts(webhooksTexts).deliveries;
  const kinds: Readonly<Record<string, string>> = texts.kinds;
  const outcomes: Readonly<Record<string, string>> = texts.outcomes;
  const { kind, status, code } = delivery;
  return (
    <Disclosure
      className={styles.delivery}
      summary={
        <>
          <Badge tone={TONES[kind] ?? 'calm'}>{kinds[kind] ?? kind}</Badge>{' '}
          <span>
            {status} {outcomes[code] ?? code}
          </span>{' '}
          <span className={styles.soft}>
            <Time value={delivery.received_at} />
          </span>
          {delivery.mistakes.length > 0 && <Verdicts delivery={delivery} />}
        </>
      }
    >
      <DeliveryBody delivery={delivery} workflow={workflow} url={url} />
    </Disclosure>
  );
}

function Verdicts({ delivery }: { delivery: Delivery }) {
  const texts: Readonly<Record<string, string>> = useTexts(webhooksTexts).deliveries.mistakes;
  return delivery.mistakes.map(({ code, advice }) => (
    <span key={code} className={styles.verdict}>
      <ForeignText text={texts[code] ?? advice} most={MOST_ADVICE} />
    </span>
  ));
}

function DeliveryBody({ delivery, workflow, url }: EntryProps) {
  const texts = useTexts(webhooksTexts).deliveries;
  const words: Readonly<Record<string, string>> = texts.mistakes;
  const formats = useFormats();
  const isTimed =
    typeof workflow.trigger.tolerance_seconds === 'number' ||
    Object.keys(delivery.headers).some((name) => name.toLowerCase() === 'webhook-signature');
  return (
    <div className={styles.deliveryBody}>
      {delivery.mistakes.length > 0 && (
        <section>
          <h3>{texts.verdict}</h3>
          <ul className={styles.advice}>
            {delivery.mistakes.map(({ code, advice }) => (
              <li key={code}>
                {words[code] && <strong>{words[code]} </strong>}
                <ForeignText text={advice} most={MOST_ADVICE} />
              </li>
            ))}
          </ul>
          {url !== null && !senderOf(workflow) && (
            <>
              <h3>{texts.corrected}</h3>
              <SigningSection label={texts.corrected} url={url} isTimed={isTimed} />
            </>
          )}
        </section>
      )}
      <Facts
        facts={[
          [texts.code, <code key="code">{delivery.code}</code>],
          [texts.received, <Time key="at" value={delivery.received_at} isExact />],
          [
            texts.run,
            delivery.run_id && (
              <Link to="/runs/$runId" params={{ runId: delivery.run_id }}>
                {delivery.run_id}
              </Link>
            ),
          ],
          [texts.size, delivery.body_bytes !== null && formats.bytes(delivery.body_bytes)],
          ['SHA-256', delivery.body_sha256 && <code>{delivery.body_sha256}</code>],
        ]}
      />
      <TextViewer title={texts.headers} value={delivery.headers} />
      {delivery.payload !== null && <TextViewer title={texts.payload} value={delivery.payload} />}
    </div>
  );
}
