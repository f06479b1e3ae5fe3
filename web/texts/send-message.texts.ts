import { defineTexts } from './define-texts.js';

/** The texts of the page that sends a message. */
export const sendMessageTexts = defineTexts(
  {
    title: 'Send a message',
    about:
      'To one contact. It is sent under the same rules as messages of workflows and assistants.',
    recipient: 'Recipient',
    recipientAbout: 'E-mail address, phone number or id of an existing contact.',
    topic: 'Topic',
    topicAbout: 'Choose a topic, unless the contact expects the message, such as a receipt.',
    noTopic: 'None',
    template: 'Content',
    written: 'Write the text here',
    attachment: 'Attach a file',
    attachmentAbout: 'At most 10 MB together.',
    attachments: 'Attached files',
    uploading: 'The file is being uploaded …',
    remove: 'Remove',
    send: 'Send',
    sent: 'The message was accepted.',
  },
  {
    title: 'Nachricht senden',
    about:
      'An einen Kontakt. Es gelten dieselben Regeln wie für Nachrichten von Workflows und Assistenten.',
    recipient: 'Empfänger',
    recipientAbout: 'E-Mail-Adresse, Telefonnummer oder Id eines vorhandenen Kontakts.',
    topic: 'Thema',
    topicAbout:
      'Wählen Sie ein Thema, außer wenn der Kontakt die Nachricht erwartet, etwa einen Beleg.',
    noTopic: 'Keines',
    template: 'Inhalt',
    written: 'Den Text hier schreiben',
    attachment: 'Datei anhängen',
    attachmentAbout: 'Zusammen höchstens 10 MB.',
    attachments: 'Angehängte Dateien',
    uploading: 'Die Datei wird hochgeladen …',
    remove: 'Entfernen',
    send: 'Senden',
    sent: 'Die Nachricht wurde angenommen.',
  },
);
