import type { Language } from '../http/page-language.js';

export interface PageTexts {
  unsubscribeTitle: string;
  unsubscribeAsk: (topic: string) => string;
  unsubscribe: string;
  unsubscribed: (topic: string) => string;
  anyTopic: string;
  choose: string;
  preferencesTitle: string;
  preferencesAbout: string;
  unconfirmed: string;
  noTopics: string;
  save: string;
  saved: string;
  partlySaved: (topics: string) => string;
  confirmTitle: string;
  confirmAsk: (topic: string) => string;
  confirm: string;
  confirmed: (topic: string) => string;
  notFound: string;
  tooMany: string;
  failed: string;
  mailSubject: (topic: string) => string;
  mailText: (topic: string, link: string) => string;
}

export const PAGE_TEXTS: Readonly<Record<Language, PageTexts>> = {
  en: {
    unsubscribeTitle: 'Unsubscribe',
    unsubscribeAsk: (topic) => `Do you want to stop getting these messages: ${topic}?`,
    unsubscribe: 'Unsubscribe',
    unsubscribed: (topic) => `You no longer get these messages: ${topic}.`,
    anyTopic: 'messages of this kind',
    choose: 'Choose what you get',
    preferencesTitle: 'What you get',
    preferencesAbout: 'Messages about your orders and your account are not in this list.',
    unconfirmed: 'To confirm, open the link in the e-mail that we sent to you.',
    noTopics: 'There is nothing to choose.',
    save: 'Save',
    saved: 'Your choice was saved.',
    partlySaved: (topics) =>
      `We could not sign you up for: ${topics}. The rest of your choice was saved.`,
    confirmTitle: 'Confirm',
    confirmAsk: (topic) => `Do you want to get these messages: ${topic}?`,
    confirm: 'Yes, send them to me',
    confirmed: (topic) => `Thank you. You get these messages: ${topic}.`,
    notFound: 'This link is not valid, or no longer valid.',
    tooMany: 'Too many requests. Try again in a minute.',
    failed: 'This did not work. Try again later.',
    mailSubject: (topic) => `Please confirm: ${topic}`,
    mailText: (topic, link) => `Somebody has asked to send you these messages: ${topic}

If it was you, open this address and press the button:

${link}

If it was not you, ignore this e-mail. You get no messages then.
`,
  },
  de: {
    unsubscribeTitle: 'Abmelden',
    unsubscribeAsk: (topic) => `Möchten Sie diese Nachrichten nicht mehr bekommen: ${topic}?`,
    unsubscribe: 'Abmelden',
    unsubscribed: (topic) => `Sie bekommen diese Nachrichten nicht mehr: ${topic}.`,
    anyTopic: 'Nachrichten dieser Art',
    choose: 'Auswählen, was Sie bekommen',
    preferencesTitle: 'Was Sie bekommen',
    preferencesAbout:
      'Nachrichten zu Ihren Bestellungen und Ihrem Konto stehen nicht in dieser Liste.',
    unconfirmed:
      'Öffnen Sie zur Bestätigung den Link in der E-Mail, die wir Ihnen geschickt haben.',
    noTopics: 'Es gibt nichts auszuwählen.',
    save: 'Speichern',
    saved: 'Ihre Auswahl wurde gespeichert.',
    partlySaved: (topics) =>
      `Dafür konnten wir Sie nicht anmelden: ${topics}. Ihre übrige Auswahl wurde gespeichert.`,
    confirmTitle: 'Bestätigen',
    confirmAsk: (topic) => `Möchten Sie diese Nachrichten bekommen: ${topic}?`,
    confirm: 'Ja, schicken Sie sie mir',
    confirmed: (topic) => `Danke. Sie bekommen diese Nachrichten: ${topic}.`,
    notFound: 'Dieser Link ist nicht oder nicht mehr gültig.',
    tooMany: 'Zu viele Anfragen. Versuchen Sie es in einer Minute noch einmal.',
    failed: 'Das hat nicht geklappt. Versuchen Sie es später noch einmal.',
    mailSubject: (topic) => `Bitte bestätigen: ${topic}`,
    mailText: (topic, link) => `Jemand möchte, dass Sie diese Nachrichten bekommen: ${topic}

Wenn Sie es waren, öffnen Sie diese Adresse und drücken auf den Knopf:

${link}

Wenn nicht, beachten Sie diese E-Mail nicht. Sie bekommen dann keine Nachrichten.
`,
  },
  fr: {
    unsubscribeTitle: 'Se désabonner',
    unsubscribeAsk: (topic) => `Souhaitez-vous ne plus recevoir ces messages : ${topic} ?`,
    unsubscribe: 'Se désabonner',
    unsubscribed: (topic) => `Vous ne recevrez plus ces messages : ${topic}.`,
    anyTopic: 'messages de ce type',
    choose: 'Choisir ce que vous recevez',
    preferencesTitle: 'Ce que vous recevez',
    preferencesAbout:
      'Les messages concernant vos commandes et votre compte ne figurent pas dans cette liste.',
    unconfirmed: 'Pour confirmer, ouvrez le lien dans l’e-mail que nous vous avons envoyé.',
    noTopics: 'Il n’y a rien à choisir.',
    save: 'Enregistrer',
    saved: 'Votre choix a été enregistré.',
    partlySaved: (topics) =>
      `Nous n’avons pas pu vous inscrire à : ${topics}. Le reste de votre choix a été enregistré.`,
    confirmTitle: 'Confirmer',
    confirmAsk: (topic) => `Souhaitez-vous recevoir ces messages : ${topic} ?`,
    confirm: 'Oui, envoyez-les-moi',
    confirmed: (topic) => `Merci. Vous recevrez ces messages : ${topic}.`,
    notFound: 'Ce lien n’est pas valable, ou ne l’est plus.',
    tooMany: 'Trop de demandes. Réessayez dans une minute.',
    failed: 'Cela n’a pas fonctionné. Réessayez plus tard.',
    mailSubject: (topic) => `Veuillez confirmer : ${topic}`,
    mailText: (topic, link) => `Quelqu’un a demandé de vous envoyer ces messages : ${topic}

Si c’était vous, ouvrez cette adresse et appuyez sur le bouton :

${link}

Sinon, ignorez cet e-mail. Vous ne recevrez alors aucun message.
`,
  },
  es: {
    unsubscribeTitle: 'Darse de baja',
    unsubscribeAsk: (topic) => `¿Quiere dejar de recibir estos mensajes: ${topic}?`,
    unsubscribe: 'Darse de baja',
    unsubscribed: (topic) => `Ya no recibirá estos mensajes: ${topic}.`,
    anyTopic: 'mensajes de este tipo',
    choose: 'Elegir qué recibe',
    preferencesTitle: 'Lo que recibe',
    preferencesAbout: 'Los mensajes sobre sus pedidos y su cuenta no están en esta lista.',
    unconfirmed: 'Para confirmarlo, abra el enlace del correo que le hemos enviado.',
    noTopics: 'No hay nada que elegir.',
    save: 'Guardar',
    saved: 'Su elección se ha guardado.',
    partlySaved: (topics) =>
      `No hemos podido suscribirle a: ${topics}. El resto de su elección se ha guardado.`,
    confirmTitle: 'Confirmar',
    confirmAsk: (topic) => `¿Quiere recibir estos mensajes: ${topic}?`,
    confirm: 'Sí, envíenmelos',
    confirmed: (topic) => `Gracias. Recibirá estos mensajes: ${topic}.`,
    notFound: 'Este enlace no es válido o ya no lo es.',
    tooMany: 'Demasiadas solicitudes. Inténtelo de nuevo en un minuto.',
    failed: 'No ha funcionado. Inténtelo más tarde.',
    mailSubject: (topic) => `Por favor, confirme: ${topic}`,
    mailText: (topic, link) => `Alguien ha pedido que le enviemos estos mensajes: ${topic}

Si fue usted, abra esta dirección y pulse el botón:

${link}

Si no fue usted, ignore este correo. No recibirá ningún mensaje.
`,
  },
  pt: {
    unsubscribeTitle: 'Cancelar a inscrição',
    unsubscribeAsk: (topic) => `Quer deixar de receber estas mensagens: ${topic}?`,
    unsubscribe: 'Cancelar a inscrição',
    unsubscribed: (topic) => `Não receberá mais estas mensagens: ${topic}.`,
    anyTopic: 'mensagens deste tipo',
    choose: 'Escolher o que recebe',
    preferencesTitle: 'O que recebe',
    preferencesAbout: 'As mensagens sobre os seus pedidos e a sua conta não estão nesta lista.',
    unconfirmed: 'Para confirmar, abra o link no e-mail que lhe enviámos.',
    noTopics: 'Não há nada para escolher.',
    save: 'Guardar',
    saved: 'A sua escolha foi guardada.',
    partlySaved: (topics) =>
      `Não foi possível fazer a inscrição em: ${topics}. O resto da sua escolha foi guardado.`,
    confirmTitle: 'Confirmar',
    confirmAsk: (topic) => `Quer receber estas mensagens: ${topic}?`,
    confirm: 'Sim, enviem-mas',
    confirmed: (topic) => `Obrigado. Receberá estas mensagens: ${topic}.`,
    notFound: 'Este link não é válido ou já não o é.',
    tooMany: 'Demasiados pedidos. Tente novamente dentro de um minuto.',
    failed: 'Não funcionou. Tente mais tarde.',
    mailSubject: (topic) => `Por favor, confirme: ${topic}`,
    mailText: (topic, link) => `Alguém pediu que lhe enviássemos estas mensagens: ${topic}

Se foi você, abra este endereço e prima o botão:

${link}

Se não foi você, ignore este e-mail. Não receberá nenhuma mensagem.
`,
  },
};
