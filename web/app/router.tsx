import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { readAuditFilters } from '../features/audit/audit-filters.ts';
import { readContactSearch } from '../features/contacts/contact-filters.ts';
import { readDuplicateSearch } from '../features/contacts/duplicate-reasons.ts';
import { readCallFilters } from '../features/developer/call.readers.ts';
import { readEventFilters } from '../features/events/event.readers.ts';
import { HomePage } from '../features/home/home-page.tsx';
import { prefetchFirstSteps } from '../features/home/first-steps.queries.ts';
import { readMessageFilters } from '../features/messages/message-filters.ts';
import { readRecipient } from '../features/messages/send-draft.ts';
import { readRunFilters } from '../features/runs/run-filters.ts';
import { type WorkflowTab, readWorkflowTab } from '../features/workflows/workflow-tabs.ts';
import { contactPages } from './contact-pages.ts';
import { FailedPage, LoadingPage, NotFoundPage } from './fallbacks.tsx';
import { messagePages } from './message-pages.ts';
import { page, root, signedIn } from './parent-routes.tsx';
import { signIn, signUp, verify } from './public-routes.tsx';
import { settingsPages } from './settings-pages.ts';
import { settingsRoutes } from './settings-routes.tsx';
import { templatePages } from './template-pages.ts';
import { workflowPages } from './workflow-pages.ts';

const home = createRoute({
  ...page,
  path: '/',
  loader: ({ context }) => prefetchFirstSteps(context.client),
  // This page is not loaded separately: it is small, and usually the first page.
  component: HomePage,
});
const account = createRoute({
  ...page,
  path: '/settings/account',
  component: lazyRouteComponent(
    () => import('../features/account/account-page.tsx'),
    'AccountPage',
  ),
});

const developer = createRoute({
  ...page,
  path: '/settings/developer',
  component: lazyRouteComponent(
    () => import('../features/developer/developer-page.tsx'),
    'DeveloperPage',
  ),
});
const contacts = createRoute({
  ...page,
  path: '/contacts',
  validateSearch: readContactSearch,
  component: contactPages.contactsPage,
});
const contact = createRoute({
  ...page,
  path: '/contacts/$contactId',
  component: contactPages.contactPage,
});
const duplicates = createRoute({
  ...page,
  path: '/contacts/duplicates',
  validateSearch: readDuplicateSearch,
  component: contactPages.duplicatesPage,
});
const properties = createRoute({
  ...page,
  path: '/contacts/properties',
  component: contactPages.propertiesPage,
});
const imports = createRoute({
  ...page,
  path: '/contacts/imports',
  component: contactPages.importsPage,
});
const contactImport = createRoute({
  ...page,
  path: '/contacts/imports/$importId',
  component: contactPages.importPage,
});
const templates = createRoute({
  ...page,
  path: '/templates',
  component: templatePages.templatesPage,
});
const template = createRoute({
  ...page,
  path: '/templates/$templateId',
  component: templatePages.templatePage,
});
const segments = createRoute({
  ...page,
  path: '/contacts/segments',
  component: contactPages.segmentsPage,
});
const segment = createRoute({
  ...page,
  path: '/contacts/segments/$segmentId',
  component: contactPages.segmentPage,
});
const contactSettings = createRoute({
  ...page,
  path: '/settings/contacts',
  component: contactPages.contactSettingsPage,
});
const messages = createRoute({
  ...page,
  path: '/messages',
  validateSearch: readMessageFilters,
  component: messagePages.messagesPage,
});
const sendMessage = createRoute({
  ...page,
  path: '/messages/new',
  validateSearch: readRecipient,
  component: messagePages.sendMessagePage,
});
const suppressions = createRoute({
  ...page,
  path: '/messages/suppressions',
  component: messagePages.suppressionsPage,
});
const sendingRules = createRoute({
  ...page,
  path: '/settings/sending',
  component: messagePages.sendingRulesPage,
});
const message = createRoute({
  ...page,
  path: '/messages/$messageId',
  component: messagePages.messagePage,
});
const events = createRoute({
  ...page,
  path: '/events',
  validateSearch: readEventFilters,
  component: workflowPages.eventsPage,
});
const runs = createRoute({
  ...page,
  path: '/runs',
  validateSearch: readRunFilters,
  component: workflowPages.runsPage,
});
const run = createRoute({
  ...page,
  path: '/runs/$runId',
  component: workflowPages.runPage,
});
const calls = createRoute({
  ...page,
  path: '/settings/developer/calls',
  validateSearch: readCallFilters,
  component: settingsPages.callLogPage,
});
const audit = createRoute({
  ...page,
  path: '/settings/audit',
  validateSearch: readAuditFilters,
  component: settingsPages.auditLogPage,
});
const approvals = createRoute({
  ...page,
  path: '/approvals',
  validateSearch: ({ state }): { state?: 'all' } => (state === 'all' ? { state } : {}),
  component: lazyRouteComponent(
    () => import('../features/approvals/approvals-page.tsx'),
    'ApprovalsPage',
  ),
});
const workflows = createRoute({
  ...page,
  path: '/workflows',
  validateSearch: (search): { active?: boolean } =>
    typeof search.active === 'boolean' ? { active: search.active } : {},
  component: workflowPages.workflowsPage,
});
const newWorkflow = createRoute({
  ...page,
  path: '/workflows/new',
  component: workflowPages.newWorkflowPage,
});
const workflow = createRoute({
  ...page,
  path: '/workflows/$workflowId',
  validateSearch: (search): { tab?: WorkflowTab } => {
    const tab = readWorkflowTab(search.tab);
    return tab ? { tab } : {};
  },
  component: workflowPages.workflowPage,
});
const tools = createRoute({
  ...page,
  path: '/tools',
  validateSearch: ({ q }): { q?: string } => (typeof q === 'string' && q ? { q } : {}),
  component: lazyRouteComponent(() => import('../features/tools/tools-page.tsx'), 'ToolsPage'),
});
const tool = createRoute({
  ...page,
  path: '/tools/$tool',
  component: lazyRouteComponent(() => import('../features/tools/tool-page.tsx'), 'ToolPage'),
});
/** Shows unknown paths inside the frame, with its navigation. */
const other = createRoute({ ...page, path: '$', component: NotFoundPage });

const routeTree = root.addChildren([
  signIn,
  signUp,
  verify,
  signedIn.addChildren([
    home,
    developer,
    account,
    workflows,
    newWorkflow,
    workflow,
    runs,
    run,
    contacts,
    imports,
    contactImport,
    segments,
    segment,
    contact,
    duplicates,
    properties,
    contactSettings,
    messages,
    sendMessage,
    templates,
    template,
    events,
    message,
    suppressions,
    sendingRules,
    calls,
    audit,
    ...settingsRoutes,
    approvals,
    tools,
    tool,
    other,
  ]),
]);

export function createAppRouter(client: QueryClient) {
  return createRouter({
    routeTree,
    context: { client },
    scrollRestoration: true,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: FailedPage,
    defaultNotFoundComponent: NotFoundPage,
    defaultPendingComponent: LoadingPage,
  });
}

/**
 * Asks for the session and loads the code of the first page at the same time. Without this, the router would load the
 * code only after the answer.
 */
export function startFirstPage(
  router: ReturnType<typeof createAppRouter>,
  client: QueryClient,
): void {
  const matched = new Set<unknown>(
    router.matchRoutes(router.latestLocation).map(({ routeId }) => routeId),
  );
  if (matched.has(signedIn.id)) void client.prefetchQuery(sessionQuery);
  for (const route of Object.values(router.routesById)) {
    // A failure is ignored here, because the router loads the page again and shows that failure.
    if (matched.has(route.id)) router.loadRouteChunk(route)?.catch(() => undefined);
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
