import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createQueryClient } from '../api/query-client.ts';
import { LanguageProvider } from '../texts/language.tsx';
import { SlowNotice } from '../ui/slow-notice.tsx';
import { ThemeProvider } from '../ui/theme.tsx';
import { ToastProvider } from '../ui/toast.tsx';
import { createAppRouter, startFirstPage } from './router.tsx';
import { setSessionEnded } from './session-ended.ts';

const client = createQueryClient(() => setSessionEnded(true));
const router = createAppRouter(client);
startFirstPage(router, client);

/**
 * Renders the dashboard. The Content-Security-Policy of the service forbids the `<style>` elements that components
 * would add.
 */
export function App() {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <LanguageProvider>
          <ThemeProvider>
            <ToastProvider>
              <RouterProvider router={router} />
              <SlowNotice />
            </ToastProvider>
          </ThemeProvider>
        </LanguageProvider>
      </QueryClientProvider>
    </CSPProvider>
  );
}
