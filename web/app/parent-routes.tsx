import type { QueryClient } from '@tanstack/react-query';
import { Outlet, createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { FailedFrame, NotFoundPage } from './fallbacks.tsx';
import { Shell } from './shell.tsx';

/** The parent of all pages. */
export const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

/** The parent of all pages that need a session. Without one, the person signs in first and then gets the page. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  errorComponent: FailedFrame,
  beforeLoad: async ({ context, location }) => {
    const session = await context.client.ensureQueryData(sessionQuery);
    if (session) return { session };
    throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { to: location.href } });
  },
});

/** The options of all pages of signed-in people. */
export const page = { getParentRoute: () => signedIn };
