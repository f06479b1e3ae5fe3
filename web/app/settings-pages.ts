import { lazyRouteComponent } from '@tanstack/react-router';

/** Pages of the settings. Each is loaded when a person opens it. */
export const settingsPages = {
  callLogPage: lazyRouteComponent(
    () => import('../features/developer/call-log-page.tsx'),
    'CallLogPage',
  ),
  auditLogPage: lazyRouteComponent(
    () => import('../features/audit/audit-log-page.tsx'),
    'AuditLogPage',
  ),
  secretsPage: lazyRouteComponent(
    () => import('../features/secrets/secrets-page.tsx'),
    'SecretsPage',
  ),
  channelsPage: lazyRouteComponent(
    () => import('../features/channels/channels-page.tsx'),
    'ChannelsPage',
  ),
  senderDomainsPage: lazyRouteComponent(
    () => import('../features/senders/sender-domains-page.tsx'),
    'SenderDomainsPage',
  ),
  topicsPage: lazyRouteComponent(() => import('../features/topics/topics-page.tsx'), 'TopicsPage'),
  retentionPage: lazyRouteComponent(
    () => import('../features/retention/retention-page.tsx'),
    'RetentionPage',
  ),
};
