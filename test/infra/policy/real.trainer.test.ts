import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { findInstalled, sourceOf, trainerEnvironment } from '../../../infra/trainer/place.ts';
import { openPolicy } from '../../support/policy/fake.ts';
import { describePolicy } from './conformance.ts';

const { packageRoot, trainer, env } = loadConfig();
const folder = await mkdtemp(join(tmpdir(), 'perpetua-tiny-'));
const base = join(folder, 'base');
const MAKE = `
import sys
from pathlib import Path
from helpers.tiny import add_chat, make_base
make_base(Path(sys.argv[1]))
add_chat(Path(sys.argv[1]))
`;

// A random Llama of 30,000 weights, as the trainer's own tests make it.
beforeAll(async () => {
  const python = findInstalled({ packageRoot, cache: trainer.cache })?.python;
  if (python === undefined) throw new Error(`expected the trainer's environment in ${trainer.cache}, found none`);
  const own = trainerEnvironment(packageRoot, env);
  const paths = `${own.PYTHONPATH}:${join(sourceOf(packageRoot), 'tests')}`;
  await promisify(execFile)(python, ['-c', MAKE, base], { env: { ...own, PYTHONPATH: paths } });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describePolicy('the policy server of the trainer', {
  ...{ base, content: 'w5 w6 w7', maxTokens: 6 },
  open: () => openPolicy({ ...trainer, device: 'cpu', dtype: 'float32', program: null }),
});
