import { defineConfig } from 'vitest/config';
import { TRAINER, usual } from '../../vitest.config.ts';

/** Tests of the policy server, for a machine with the trainer's environment. */
export default defineConfig({ test: { ...usual, include: [TRAINER] } });
