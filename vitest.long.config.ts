import { defineConfig } from 'vitest/config';
import { LONG, usual } from './vitest.config.ts';

/** What `npm test` leaves out: pure and long. */
export default defineConfig({ test: { ...usual, include: [LONG], isolate: false } });
