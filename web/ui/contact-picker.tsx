import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { type Contact, nameOf } from '../api/contact.ts';
import { contactPickerTexts } from '../texts/contact-picker.texts.ts';
import { useTexts } from '../texts/language.tsx';
import styles from './contact-picker.module.css';
import { ErrorPanel } from './error-panel.tsx';
import { TextField } from './field.tsx';
import { ForeignText } from './foreign-text.tsx';
import { MOST_FOUND, useFoundContacts } from './use-found-contacts.ts';

interface PickerProps {
  label: ReactNode;
  description?: ReactNode;
  /** Is called with the id of the chosen contact, and with undefined as soon as the person changes the text. */
  onChoose: (contactId: string | undefined) => void;
}

/** Finds a contact while a person types. Arrow keys mark one of the found contacts, and Enter chooses it. */
export function ContactPicker({ label, description, onChoose }: PickerProps) {
  const texts = useTexts(contactPickerTexts);
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [place, setPlace] = useState(0);
  const id = useId();
  const found = useFoundContacts(isOpen ? typed : '');
  const contacts = found?.contacts ?? [];
  const isShown = contacts.length > 0;
  const idOf = (index: number): string => `${id}-${index}`;
  const type = (text: string): void => {
    setTyped(text);
    setOpen(true);
    setPlace(0);
    onChoose(undefined);
  };
  const choose = (person: Contact): void => {
    setTyped(nameOf(person) ?? person.id);
    setOpen(false);
    onChoose(person.id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = contacts[place];
    if (event.key === 'Escape' && isOpen) setOpen(false);
    else if (event.key === 'Enter' && isOpen && typed.trim() !== '') {
      // While the search runs, Enter must not send the form without a contact.
      if (chosen) choose(chosen);
    } else if (step !== undefined && isShown) {
      setPlace((place + step + contacts.length) % contacts.length);
    } else return;
    event.preventDefault();
  };
  return (
    <div className={styles.picker}>
      <TextField
        label={label}
        description={
          <>
            {description} {texts.about}
          </>
        }
        isRequired={false}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={isShown ? id : undefined}
        aria-activedescendant={isShown ? idOf(place) : undefined}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={type}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      {isShown && (
        <div id={id} role="listbox" aria-label={texts.list} className={styles.list}>
          {contacts.map((person, index) => (
            <div
              key={person.id}
              id={idOf(index)}
              role="option"
              aria-selected={index === place}
              className={styles.option}
              // The field keeps the focus. Without this, the list would close before the click arrives.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(person)}
              onMouseMove={() => setPlace(index)}
            >
              <ForeignText text={nameOf(person) ?? person.id} />
              <Address of={person} />
            </div>
          ))}
        </div>
      )}
      <div role="status" className={styles.soft}>
        {found && !found.error && contacts.length === 0 && texts.none}
        {found?.hasMore && texts.first(MOST_FOUND)}
      </div>
      {found?.error && <ErrorPanel error={found.error} />}
    </div>
  );
}

/** Shows an address beside the name. The address distinguishes contacts with the same name. */
function Address({ of: person }: { of: Contact }) {
  const name = nameOf(person);
  const addresses = [person.email, person.phone, person.external_id];
  const address = addresses.find((each) => each !== null && each !== name);
  return (
    address && (
      <span className={styles.soft}>
        <ForeignText text={address} />
      </span>
    )
  );
}
