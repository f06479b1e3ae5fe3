import { useState } from 'react';
import { useTool, useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { sendersTexts } from '../../texts/senders.texts.ts';
import { webhooksTexts } from '../../texts/webhooks.texts.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { Time } from '../../ui/time.tsx';
import { FormatsSection } from './formats-section.tsx';
import { HeadersSection } from './headers-section.tsx';
import { OverlapField, USUAL_OVERLAP } from './overlap-field.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { SenderSection } from './sender-section.tsx';
import { formatsOf, senderOf, SENDERS } from './senders.ts';
import { SigningSection } from './signing-section.tsx';
import { type Workflow, deliveriesResult, savedWorkflow } from './workflow.readers.ts';

const CHANGED = ['get_workflow', 'list_workflows', 'list_webhook_deliveries'];

/** Shows the trigger of the workflow: the address of its webhook, its secret, and how to sign. */
export function TriggerTab({ workflow }: { workflow: Workflow }) {
  const texts = useTexts(webhooksTexts).webhook;
  if (workflow.webhook_url === null) {
    return (
      <>
        <OwnEvent event={workflow.trigger.event} />
        {workflow.next_times && <NextTimes times={workflow.next_times} />}
        <TextViewer title={texts.none} value={workflow.trigger} />
      </>
    );
  }
  return <Webhook workflow={workflow} url={workflow.webhook_url} />;
}

function NextTimes({ times }: { times: readonly string[] }) {
  const texts = useTexts(webhooksTexts).webhook;
  return (
    <Section title={texts.nextTimes}>
      <ol>
        {times.map((time) => (
          <li key={time}>
            <Time value={time} isExact />
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Shows how programs emit the custom event that starts the workflow. Shows nothing for other events. */
function OwnEvent({ event }: { event: unknown }) {
  const texts = useTexts(webhooksTexts).webhook;
  if (typeof event !== 'string' || !event.startsWith('custom.')) return null;
  const body = JSON.stringify({ event, data: {} });
  const code = [
    `curl ${location.origin}/api/events -H "Authorization: Bearer $API_KEY" \\`,
    `  -H "Content-Type: application/json" -d '${body}'`,
  ].join('\n');
  return (
    <Section title={texts.emit} about={texts.emitAbout}>
      <CodeBlock title={texts.emit} code={code} isWrapped />
    </Section>
  );
}

function Webhook({ workflow, url }: { workflow: Workflow; url: string }) {
  const texts = useTexts(webhooksTexts).webhook;
  const given = { workflow_id: workflow.id, limit: 20 };
  const { data } = useTool('list_webhook_deliveries', given, deliveriesResult);
  const [secret, setSecret] = useState<string>();
  const { signedBy } = useTexts(sendersTexts);
  const isSigned = workflow.trigger.secret === true;
  const sender = senderOf(workflow);
  const { signature, verify_token: verifyToken, headers } = workflow.trigger;
  return (
    <>
      <Section title={texts.address} about={texts.addressAbout}>
        <CodeBlock title={texts.address} code={url} isWrapped />
        <p>{sender ? signedBy(SENDERS[sender]) : isSigned ? texts.signed : texts.open}</p>
        {data?.previous_secret_until && (
          <p>
            {texts.previousUntil} <Time value={data.previous_secret_until} isExact />
          </p>
        )}
        {!sender && <ReplaceSecret workflow={workflow} isSigned={isSigned} onSecret={setSecret} />}
      </Section>
      {data?.test_url && (
        <Section title={texts.testAddress} about={texts.testAbout}>
          <CodeBlock title={texts.testAddress} code={data.test_url} isWrapped />
        </Section>
      )}
      {/* A section is created anew when its part of the trigger changes. Text typed in other sections stays. */}
      <SenderSection key={keyOf('sender', [signature, verifyToken])} workflow={workflow} />
      <FormatsSection key={keyOf('formats', formatsOf(workflow))} workflow={workflow} />
      <HeadersSection key={keyOf('headers', headers)} workflow={workflow} />
      {isSigned && !sender && (
        <Section title={texts.sign}>
          <SigningSection
            label={texts.sign}
            url={url}
            isTimed={typeof workflow.trigger.tolerance_seconds === 'number'}
          />
        </Section>
      )}
      <TextViewer title={texts.settings} value={workflow.trigger} />
      {secret !== undefined && (
        <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}

function keyOf(section: string, shown: unknown): string {
  return `${section} ${JSON.stringify(shown)}`;
}

interface ReplaceProps {
  workflow: Workflow;
  isSigned: boolean;
  onSecret: (secret: string) => void;
}

function ReplaceSecret({ workflow, isSigned, onSecret }: ReplaceProps) {
  const texts = useTexts(webhooksTexts).webhook;
  const [isOpen, setOpen] = useState(false);
  const [overlap, setOverlap] = useState<string>(USUAL_OVERLAP);
  const call = useToolCall('update_workflow', savedWorkflow, CHANGED);
  const replace = (): void =>
    call.mutate(
      {
        workflow_id: workflow.id,
        expected_version: workflow.version,
        trigger: {
          ...workflow.trigger,
          secret: true,
          ...(isSigned && { overlap_seconds: Number(overlap) }),
        },
      },
      {
        onSuccess: ({ secret }) => {
          setOpen(false);
          if (secret !== null) onSecret(secret);
        },
      },
    );
  const action = isSigned ? texts.rotate : texts.makeSecret;
  return (
    <div>
      <Button onClick={() => setOpen(true)}>{action}</Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={isSigned ? texts.rotateTitle : texts.makeSecret}
        description={texts.rotateText}
        action={action}
        isBusy={call.isPending}
        error={call.error}
        onConfirm={replace}
      >
        {isSigned && <OverlapField value={overlap} onChange={setOverlap} />}
      </ConfirmDialog>
    </div>
  );
}
