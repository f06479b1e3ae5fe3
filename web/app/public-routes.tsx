import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ownPath } from '../features/account/own-path.ts';
import { SignInPage } from '../features/account/sign-in-page.tsx';
import { SignUpPage } from '../features/account/sign-up-page.tsx';
import { root } from './parent-routes.tsx';

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInPage,
  // The router keeps parameters that this function leaves out, so the page checks them again.
  validateSearch: (search): { to?: string } => {
    const to = ownPath(search.to);
    return to === undefined ? {} : { to };
  },
});
export const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: SignUpPage,
});
export const verify = createRoute({
  getParentRoute: () => root,
  path: '/verify',
  component: lazyRouteComponent(() => import('../features/account/verify-page.tsx'), 'VerifyPage'),
});
