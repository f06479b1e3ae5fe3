import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service gets the header `Host` of the browser unchanged, because it compares this header with `Origin`. */
const SERVICE = {
  target: process.env.SWITCHBOARD_URL ?? 'http://127.0.0.1:3000',
  changeOrigin: false,
};
/** Matches calls of the service, but not the sources in `web/api`, whose addresses also begin with `/api/`. */
const CALLS = String.raw`^/api/(?!.*\.tsx?(\?|$))`;

/**
 * The configuration of Vite for `scripts/build-web.mjs`, and for `npm run dev:web`, which serves the pages and passes
 * calls to a service.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    manifest: true,
    // Writes the licences of the bundled packages, which must be delivered with the scripts.
    license: { fileName: 'licenses.txt' },
    // Inlines no file as a `data:` URL: the Content-Security-Policy forbids scripts and styles in `data:` URLs.
    assetsInlineLimit: 0,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // All code that every page needs is in one file. With 17 files, loading took half a second longer on a slow
        // processor.
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] },
      },
    },
    // Vite need not warn, because `scripts/build-web.mjs` checks the sizes of the files.
    chunkSizeWarningLimit: 1000,
  },
  logLevel: 'warn',
  server: { host: '127.0.0.1', proxy: { [CALLS]: SERVICE, '/health': SERVICE } },
});
