import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const api = process.env['REEVE_API'] ?? 'http://127.0.0.1:5252'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsDir: 'assets',
    target: 'es2023',
    // The polyfill would be an inline script's work in old browsers; every supported one preloads modules.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What pages share comes in one file; every icon and control of its own would be a request each.
        codeSplitting: {
          groups: [{ name: 'shared', test: /web\/src\/(?:components|lib)\/|lucide-react/, minShareCount: 2 }],
        },
      },
    },
  },
  server: { proxy: { '/api': api, '/healthz': api } },
})
