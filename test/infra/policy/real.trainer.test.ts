import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openPolicy } from '../../support/policy/fake.ts';
import { makeTiny } from '../../support/policy/tiny.ts';
import { describePolicy } from './conformance.ts';

const { trainer } = loadConfig();
const folder = await mkdtemp(join(tmpdir(), 'perpetua-tiny-'));
const base = join(folder, 'base');
beforeAll(() => makeTiny(base));
afterAll(() => rm(folder, { recursive: true, force: true }));

describePolicy('the policy server of the trainer', {
  base,
  content: 'w5 w6 w7',
  maxTokens: 6,
  open: () => openPolicy({ ...trainer, device: 'cpu', dtype: 'float32', program: null }),
});
