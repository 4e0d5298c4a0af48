import { defineConfig } from 'vitest/config';
import { AGENTS, usual } from '../../vitest.config.ts';

/** Tests of real coding agents, for a machine that has them installed. */
export default defineConfig({ test: { ...usual, include: [AGENTS] } });
