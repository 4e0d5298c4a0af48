import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { bytes, followToEnd, specOf } from './conformance/support.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-protections-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it.each(['none', 'preferred', 'required'] as const)(
  'says of sandbox: %s that a run is root where it is',
  async (sandbox) => {
    const compute = createLocalCompute({ home, installation: 'protections-tests' });
    await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
    const spec = specOf('id -u', { sandbox });
    await compute.launch(spec);
    // In a user namespace an ordinary user looks like root, and is not.
    const isRoot = (await followToEnd(compute, spec)).text === '0\n' && process.getuid?.() === 0;
    const notes = (await compute.protections(sandbox)).notes.join(' ');
    expect(notes.includes('is root here')).toBe(isRoot);
    // As root, only a run that was asked to go without a sandbox keeps the worker's user.
    expect(isRoot).toBe(process.getuid?.() === 0 && sandbox === 'none');
  },
);
