import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  confinements,
  PROCESS_GROUP,
  type Confinement,
} from '../../../infra/compute/run-protocol/confinement/confinement.ts';
import { createEvaluatorSandbox } from '../../../infra/compute/local.ts';
import { createEvaluator } from '../../../infra/evaluate/create-evaluator.ts';
import type { EvaluateSpec, Evaluator } from '../../../infra/evaluate.ts';
import { RUNTIME } from './runtime.ts';

const probed = vi.hoisted((): { confinement?: unknown } => ({}));
vi.mock(import('../../../infra/compute/local/probe.ts'), () => ({
  probe: () => Promise.resolve(probed.confinement as Confinement),
}));

const SANDBOXED = confinements(process.getuid?.() === 0, true).find(({ sandboxed }) => sandboxed);
const base = mkdtempSync(join(tmpdir(), 'perpetua-lost-sandbox-'));
const evidence = join(base, 'ran-without-sandbox');
afterAll(() => rmSync(base, { recursive: true, force: true }));

let home: string;
let evaluator: Evaluator;
beforeEach(() => {
  home = mkdtempSync(join(base, 'home-'));
  evaluator = createEvaluator({ home });
  rmSync(evidence, { force: true });
});

/** Sets what the next probe finds. */
function setProbe(confinement: Confinement | undefined): void {
  probed.confinement = confinement;
  // All users of a home share one cache.
  createEvaluatorSandbox({ home }).forget();
}

const evaluate = (sandbox?: EvaluateSpec['sandbox']) =>
  evaluator.evaluate(
    {
      files: [],
      command: `touch ${evidence}; echo '{"a": 1}' >&3`,
      timeoutSeconds: 60,
      seed: 1,
      sandbox,
      artefacts: [],
      runtime: RUNTIME,
      conversation: null,
      limits: { roundSeconds: 6, lineBytes: 1000, totalBytes: 1000 },
    },
    new AbortController().signal,
  );

describe('an evaluator on a machine that gives no sandbox', () => {
  it('runs without one if the machine never gave one', async () => {
    setProbe(PROCESS_GROUP);
    expect(await evaluate()).toMatchObject({ ok: true });
    expect(existsSync(evidence)).toBe(true);
    expect(await evaluator.hasSandbox()).toBe(false);
  });

  it('does not run if its evaluation requires a sandbox', async () => {
    setProbe(PROCESS_GROUP);
    await expect(evaluate('required')).rejects.toThrow('npx perpetua doctor');
    expect(existsSync(evidence)).toBe(false);
  });

  it('does not run if the machine gave a sandbox before', async () => {
    setProbe(SANDBOXED);
    expect(await evaluator.hasSandbox()).toBe(true);
    setProbe(PROCESS_GROUP);
    await expect(evaluate()).rejects.toMatchObject({ name: 'SandboxMissingError' });
    await expect(evaluator.hasSandbox()).rejects.toMatchObject({ name: 'SandboxMissingError' });
    expect(existsSync(evidence)).toBe(false);
  });

  it('does not run if the sandbox is lost after the evaluator was laid out', async () => {
    setProbe(PROCESS_GROUP);
    const sandbox = createEvaluatorSandbox({ home });
    const start = sandbox.start({
      directory: join(home, 'evaluation'),
      command: `touch ${evidence}`,
      env: {},
      path: [],
      readable: [],
      network: false,
      gpu: false,
      relay: null,
      laid: [],
    });
    await expect(start).rejects.toMatchObject({ name: 'SandboxMissingError' });
    expect(existsSync(evidence)).toBe(false);
  });
});
