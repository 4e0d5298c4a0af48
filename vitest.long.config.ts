import { defineConfig } from 'vitest/config';
import { LONG, usual } from './vitest.config.ts';

/** Tests that `npm test` leaves out. */
export default defineConfig({
  test: {
    ...usual,
    globalSetup: ['build', 'tools', 'shared-postgres'].map((name) => `test/support/${name}.ts`),
    include: [LONG],
    isolate: false,
  },
});
