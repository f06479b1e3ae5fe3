import { useTexts } from '../../texts/language.tsx';
import { sendingTexts } from '../../texts/sending.texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import styles from './messages.module.css';
import type { Cap } from './sending.readers.ts';
import { useChannels } from './use-channels.ts';

const SECONDS = { days: 86_400, hours: 3600, minutes: 60 } as const;
type Unit = keyof typeof SECONDS;
const UNITS = Object.keys(SECONDS) as Unit[];

/** A cap in the form, with the texts that the person typed. */
export interface TypedCap {
  /** Identifies the row while the row is on the page. */
  readonly id: number;
  readonly channel: string;
  readonly topic: string;
  readonly most: string;
  readonly amount: string;
  readonly unit: Unit;
  readonly on_cap: string;
}

export function typedCap(id: number, cap?: Cap): TypedCap {
  const seconds = cap?.window_seconds ?? SECONDS.days;
  const unit = UNITS.find((each) => seconds % SECONDS[each] === 0) ?? 'minutes';
  return {
    id,
    channel: cap?.channel ?? 'email',
    topic: cap?.topic ?? '',
    most: String(cap?.most ?? 1),
    amount: String(seconds / SECONDS[unit]),
    unit,
    on_cap: cap?.on_cap ?? 'hold',
  };
}

/** Returns the cap as an argument of `set_sending_rules`. The tool refuses a text that is not a number. */
export function capArgument({ channel, topic, most, amount, unit, on_cap }: TypedCap): Cap {
  return {
    channel,
    topic: topic.trim() === '' ? null : topic.trim(),
    most: Number(most),
    window_seconds: Math.round(Number(amount) * SECONDS[unit]),
    on_cap,
  };
}

interface CapsProps {
  caps: readonly TypedCap[];
  onChange: (caps: TypedCap[]) => void;
}

/** Lets a person change the caps. */
export function SendingCaps({ caps, onChange }: CapsProps) {
  const texts = useTexts(sendingTexts);
  const last = Math.max(0, ...caps.map(({ id }) => id));
  return (
    <>
      {caps.map((cap, index) => (
        <CapFields
          key={cap.id}
          cap={cap}
          name={texts.cap(index + 1)}
          onChange={(changed) => onChange(caps.map((each) => (each === cap ? changed : each)))}
          onRemove={() => onChange(caps.filter((each) => each !== cap))}
        />
      ))}
      <div>
        <Button onClick={() => onChange([...caps, typedCap(last + 1)])}>{texts.add}</Button>
      </div>
    </>
  );
}

function CapFields({
  cap,
  name,
  onChange,
  onRemove,
}: {
  cap: TypedCap;
  name: string;
  onChange: (cap: TypedCap) => void;
  onRemove: () => void;
}) {
  const texts = useTexts(sendingTexts);
  const channels = useChannels([cap.channel]);
  return (
    <fieldset className={styles.group}>
      <legend>{name}</legend>
      <div className={styles.fields}>
        <SelectField
          label={texts.channel}
          value={cap.channel}
          options={channels}
          onChange={(channel) => onChange({ ...cap, channel })}
        />
        <TextField
          label={texts.topic}
          description={texts.topicAbout}
          value={cap.topic}
          onChange={(topic) => onChange({ ...cap, topic })}
        />
        <TextField
          type="number"
          min={1}
          max={100}
          label={texts.most}
          value={cap.most}
          onChange={(most) => onChange({ ...cap, most })}
        />
        <TextField
          type="number"
          min={1}
          label={texts.amount}
          value={cap.amount}
          onChange={(amount) => onChange({ ...cap, amount })}
        />
        <SelectField
          label={texts.unit}
          value={cap.unit}
          options={UNITS.map((value) => ({ value, label: texts.units[value] }))}
          onChange={(unit) =>
            onChange({ ...cap, unit: UNITS.find((each) => each === unit) ?? 'days' })
          }
        />
        <SelectField
          label={texts.onCap}
          value={cap.on_cap}
          options={(['hold', 'drop'] as const).map((value) => ({
            value,
            label: texts.policies[value],
          }))}
          onChange={(policy) => onChange({ ...cap, on_cap: policy })}
        />
      </div>
      <Button size="small" onClick={onRemove}>
        {texts.remove}
        <span className="hidden-visually"> {name}</span>
      </Button>
    </fieldset>
  );
}
