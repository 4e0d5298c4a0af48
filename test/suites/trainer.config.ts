import { defineConfig } from 'vitest/config';
import { TRAINER, usual } from '../../vitest.config.ts';

/** What a machine with the trainer's environment tests of its policy server. */
export default defineConfig({ test: { ...usual, include: [TRAINER] } });
