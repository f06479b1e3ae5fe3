import { createRoute } from '@tanstack/react-router';
import { page } from './parent-routes.tsx';
import { settingsPages } from './settings-pages.ts';

const secrets = createRoute({
  ...page,
  path: '/settings/secrets',
  component: settingsPages.secretsPage,
});
const channels = createRoute({
  ...page,
  path: '/settings/channels',
  component: settingsPages.channelsPage,
});
const topics = createRoute({
  ...page,
  path: '/settings/topics',
  component: settingsPages.topicsPage,
});
const retention = createRoute({
  ...page,
  path: '/settings/retention',
  component: settingsPages.retentionPage,
});
const senderDomains = createRoute({
  ...page,
  path: '/settings/senders',
  component: settingsPages.senderDomainsPage,
});

/** The routes of those settings pages that keep no filters in their address. */
export const settingsRoutes = [secrets, channels, senderDomains, topics, retention] as const;
