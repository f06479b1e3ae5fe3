import { isObject } from '../../api/reader.ts';
import { type ToolDescriptor, useToolList } from '../../api/tools.ts';
import { callsTexts } from '../../texts/calls.texts.ts';
import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { outcomeTexts } from '../../texts/outcome.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { OutcomeBadge } from '../../ui/outcome-badge.tsx';
import { Facts } from '../../ui/page.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { Time } from '../../ui/time.tsx';
import type { Call } from './call.readers.ts';
import styles from './developer.module.css';
import { curl } from './snippets.ts';

/** Shows one call: its caller, its tool, and an explanation of its error. */
export function CallDialog({ call, onClose }: { call: Call; onClose: () => void }) {
  const texts = useTexts(callsTexts);
  const meanings: Readonly<Record<string, string>> = useTexts(outcomeTexts).meanings;
  const { close } = useTexts(uiTexts);
  const formats = useFormats();
  const tools = useToolList();
  const { tool } = call;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isWide
      title={tool === null ? texts.unlogged(formats.number(call.unlogged)) : texts.detail(tool)}
      description={meanings[call.outcome]}
      actions={<Button onClick={onClose}>{close}</Button>}
    >
      <Facts
        facts={[
          [texts.outcome, <OutcomeBadge key="outcome" outcome={call.outcome} />],
          [texts.time, <Time key="time" value={call.at} isExact />],
          [texts.duration, formats.duration(call.duration_ms)],
          [texts.client, call.client],
          [
            texts.caller,
            <span key="caller">
              {call.caller_kind === 'user' ? texts.person : texts.key} <code>{call.caller_id}</code>
            </span>,
          ],
          [texts.request, call.request_id && <code key="request">{call.request_id}</code>],
        ]}
      />
      {call.error !== null && <TextViewer title={texts.told} value={call.error} />}
      {tool !== null && (
        <div className={styles.snippet}>
          <p className={styles.prose}>{texts.curlAbout}</p>
          <CodeBlock
            title={texts.curl}
            code={curl({ origin: location.origin }, tool, neededArguments(tools.data, tool))}
            isWrapped
          />
        </div>
      )}
    </Dialog>
  );
}

/** Returns the required arguments of a tool, with the name of the type in place of each value. */
function neededArguments(
  tools: readonly ToolDescriptor[] | undefined,
  name: string,
): Record<string, unknown> {
  const schema = tools?.find((tool) => tool.name === name)?.inputSchema;
  if (!schema || !Array.isArray(schema.required)) return {};
  const { properties } = schema;
  return Object.fromEntries(
    schema.required.map((argument: unknown) => {
      const property = isObject(properties) ? properties[String(argument)] : undefined;
      const type = isObject(property) ? String(property.type) : 'string';
      return [String(argument), `<${type}>`];
    }),
  );
}
