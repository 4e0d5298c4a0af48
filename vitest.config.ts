import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/support/slow-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Limits end what hangs; no test is meant to come near them, on however slow a machine.
    testTimeout: 360_000,
    hookTimeout: 720_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: SlowFirst },
    pool: 'forks',
    // Most of them wait for something most of the time.
    maxWorkers: Math.max(2, Math.min(4, availableParallelism() + 2)),
  },
});
