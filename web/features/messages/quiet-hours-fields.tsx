import { useTexts } from '../../texts/language.tsx';
import { sendingTexts } from '../../texts/sending.texts.ts';
import { CheckField, TextField } from '../../ui/field.tsx';
import styles from './messages.module.css';
import type { SendingRules } from './sending.readers.ts';
import { useChannels } from './use-channels.ts';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** The channels of new quiet hours. */
const CHANNELS = ['email', 'sms'] as const;
/** The channel whose messages go to programs. The form offers it only when the stored quiet hours contain it. */
const OF_PROGRAMS = 'webhook';

/** The values of the form. The form keeps them even while quiet hours are off. */
export interface TypedQuietHours {
  readonly isOn: boolean;
  readonly from: string;
  readonly to: string;
  readonly days: readonly string[];
  readonly channels: readonly string[];
}

export function typedQuietHours(present: SendingRules['quiet_hours']): TypedQuietHours {
  return {
    isOn: present !== null,
    from: present?.from ?? '21:00',
    to: present?.to ?? '08:00',
    days: present?.days ?? DAYS,
    channels: present?.channels ?? CHANNELS,
  };
}

interface FieldsProps {
  quiet: TypedQuietHours;
  faultOf: (path: string) => string | undefined;
  onChange: (quiet: TypedQuietHours) => void;
}

/** Lets a person choose the quiet hours. */
export function QuietHoursFields({ quiet, faultOf, onChange }: FieldsProps) {
  const texts = useTexts(sendingTexts);
  const channels = useChannels(quiet.channels).filter(
    ({ value }) => value !== OF_PROGRAMS || quiet.channels.includes(value),
  );
  return (
    <>
      <CheckField
        label={texts.hasQuiet}
        value={quiet.isOn}
        onChange={(isOn) => onChange({ ...quiet, isOn })}
      />
      {quiet.isOn && (
        <>
          <div className={styles.fields}>
            <TextField
              type="time"
              label={texts.from}
              fault={faultOf('quiet_hours.from')}
              value={quiet.from}
              onChange={(from) => onChange({ ...quiet, from })}
            />
            <TextField
              type="time"
              label={texts.to}
              description={texts.toAbout}
              fault={faultOf('quiet_hours.to')}
              value={quiet.to}
              onChange={(to) => onChange({ ...quiet, to })}
            />
          </div>
          <fieldset className={styles.options}>
            <legend>{texts.days}</legend>
            {DAYS.map((day) => (
              <CheckField
                key={day}
                label={texts.dayNames[day]}
                value={quiet.days.includes(day)}
                onChange={(isIn) => onChange({ ...quiet, days: toggled(quiet.days, day, isIn) })}
              />
            ))}
          </fieldset>
          <fieldset className={styles.options}>
            <legend>{texts.channels}</legend>
            {channels.map(({ value, label }) => (
              <CheckField
                key={value}
                label={label}
                value={quiet.channels.includes(value)}
                onChange={(isIn) =>
                  onChange({ ...quiet, channels: toggled(quiet.channels, value, isIn) })
                }
              />
            ))}
          </fieldset>
        </>
      )}
    </>
  );
}

function toggled(values: readonly string[], value: string, isIn: boolean): string[] {
  const others = values.filter((each) => each !== value);
  return isIn ? [...others, value] : others;
}
