import { lazyRouteComponent } from '@tanstack/react-router';

/** The pages of contacts. Each is loaded when a person opens it. */
export const contactPages = {
  contactsPage: lazyRouteComponent(
    () => import('../features/contacts/contacts-page.tsx'),
    'ContactsPage',
  ),
  contactPage: lazyRouteComponent(
    () => import('../features/contacts/contact-page.tsx'),
    'ContactPage',
  ),
  duplicatesPage: lazyRouteComponent(
    () => import('../features/contacts/duplicates-page.tsx'),
    'DuplicatesPage',
  ),
  propertiesPage: lazyRouteComponent(
    () => import('../features/contacts/properties-page.tsx'),
    'PropertiesPage',
  ),
  importsPage: lazyRouteComponent(
    () => import('../features/contacts/imports-page.tsx'),
    'ImportsPage',
  ),
  importPage: lazyRouteComponent(
    () => import('../features/contacts/import-page.tsx'),
    'ImportPage',
  ),
  segmentsPage: lazyRouteComponent(
    () => import('../features/contacts/segments-page.tsx'),
    'SegmentsPage',
  ),
  segmentPage: lazyRouteComponent(
    () => import('../features/contacts/segment-page.tsx'),
    'SegmentPage',
  ),
  contactSettingsPage: lazyRouteComponent(
    () => import('../features/contacts/contact-settings-page.tsx'),
    'ContactSettingsPage',
  ),
};
