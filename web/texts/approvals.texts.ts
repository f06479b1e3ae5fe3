import { defineTexts } from './define-texts.ts';

/** The texts of the page on which people answer calls of agents. */
export const approvalsTexts = defineTexts(
  {
    title: 'Approvals',
    about:
      'Calls of agents that a person must approve first. An approval lets the agent make exactly this call, once, within an hour.',
    show: 'Show',
    pending: 'Only calls that can still be approved or refused',
    all: 'Include answered and expired calls',
    none: 'Nothing waits for you',
    most: (count: number) => `Only the newest ${count} are listed.`,
    noneAbout:
      'When an agent calls a tool whose policy asks for approval, the call appears here automatically.',
    arguments: 'Arguments',
    key: 'API key of the agent',
    asked: 'Asked',
    expires: 'Expires',
    answeredBy: 'Answered by',
    approve: 'Approve',
    decline: 'Decline',
    withdraw: 'Withdraw the approval',
    approveTitle: (tool: string) => `Approve ${tool}?`,
    approveText:
      'The agent may then make this call once, with exactly these arguments. The call runs when the agent repeats it.',
    approved: 'The call was approved. It runs when the agent repeats it.',
    declined: 'The call was declined.',
    states: {
      pending: 'Waits for an answer',
      approved: 'Approved, not used yet',
      declined: 'Declined',
      used: 'Approved and made',
      failed: 'Made, but failed',
      expired: 'Expired',
    },
  },
  {
    title: 'Freigaben',
    about:
      'Aufrufe von Agenten, die ein Mensch erst freigeben muss. Eine Freigabe gilt für genau diesen Aufruf, einmal, innerhalb einer Stunde.',
    show: 'Zeigen',
    pending: 'Nur Aufrufe, die beantwortet werden können',
    all: 'Auch Beantwortete und Abgelaufene',
    none: 'Nichts wartet auf Sie',
    most: (count: number) => `Nur die neuesten ${count} sind gelistet.`,
    noneAbout:
      'Ruft ein Agent ein Werkzeug auf, das eine Freigabe verlangt, erscheint der Aufruf hier von selbst.',
    arguments: 'Argumente',
    key: 'API-Schlüssel des Agenten',
    asked: 'Angefragt',
    expires: 'Läuft ab',
    answeredBy: 'Beantwortet von',
    approve: 'Freigeben',
    decline: 'Ablehnen',
    withdraw: 'Freigabe zurückziehen',
    approveTitle: (tool: string) => `${tool} freigeben?`,
    approveText:
      'Der Agent darf diesen Aufruf dann einmal machen, mit genau diesen Argumenten. Er läuft, wenn der Agent ihn wiederholt.',
    approved: 'Der Aufruf wurde freigegeben. Er läuft, wenn der Agent ihn wiederholt.',
    declined: 'Der Aufruf wurde abgelehnt.',
    states: {
      pending: 'Wartet auf Antwort',
      approved: 'Freigegeben, noch nicht benutzt',
      declined: 'Abgelehnt',
      used: 'Freigegeben und ausgeführt',
      failed: 'Ausgeführt, aber fehlgeschlagen',
      expired: 'Abgelaufen',
    },
  },
);
