import { lazyRouteComponent } from '@tanstack/react-router';

/** The pages of templates. Each is loaded when a person opens it. */
export const templatePages = {
  templatesPage: lazyRouteComponent(
    () => import('../features/templates/templates-page.tsx'),
    'TemplatesPage',
  ),
  templatePage: lazyRouteComponent(
    () => import('../features/templates/template-page.tsx'),
    'TemplatePage',
  ),
};
