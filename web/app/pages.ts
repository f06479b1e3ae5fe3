import type { shellTexts } from '../texts/shell.texts.js';
import type { IconName } from '../ui/icon.tsx';

export interface PageLink {
  to: string;
  /** The member of `shellTexts.pages` with the title of the page. */
  name: keyof (typeof shellTexts)['en']['pages'];
  icon: IconName;
}

export interface PageSection {
  /** The member of `shellTexts.sections` with the heading of the section. */
  name?: keyof (typeof shellTexts)['en']['sections'];
  pages: readonly PageLink[];
}

/** Lists the pages of the navigation and of the command menu, in their order. */
export const PAGE_SECTIONS: readonly PageSection[] = [
  { pages: [{ to: '/', name: 'home', icon: 'home' }] },
  {
    name: 'operate',
    pages: [
      { to: '/workflows', name: 'workflows', icon: 'workflows' },
      { to: '/runs', name: 'runs', icon: 'runs' },
      { to: '/contacts', name: 'contacts', icon: 'contacts' },
      { to: '/messages', name: 'messages', icon: 'messages' },
      { to: '/templates', name: 'templates', icon: 'copy' },
      { to: '/events', name: 'events', icon: 'events' },
      { to: '/approvals', name: 'approvals', icon: 'check' },
      { to: '/tools', name: 'tools', icon: 'tools' },
    ],
  },
  {
    name: 'settings',
    pages: [
      { to: '/settings/developer', name: 'developer', icon: 'code' },
      { to: '/settings/developer/calls', name: 'calls', icon: 'log' },
      { to: '/settings/secrets', name: 'secrets', icon: 'key' },
      { to: '/settings/channels', name: 'channels', icon: 'messages' },
      { to: '/settings/senders', name: 'senderDomains', icon: 'shield' },
      { to: '/settings/topics', name: 'topics', icon: 'check' },
      { to: '/settings/sending', name: 'sendingRules', icon: 'messages' },
      { to: '/settings/contacts', name: 'contactSettings', icon: 'contacts' },
      { to: '/settings/audit', name: 'audit', icon: 'shield' },
      { to: '/settings/retention', name: 'retention', icon: 'trash' },
      { to: '/settings/account', name: 'account', icon: 'person' },
    ],
  },
];
