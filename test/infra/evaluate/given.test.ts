import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEvaluator } from '../../../infra/evaluate/create-evaluator.ts';
import type { EvaluateSpec } from '../../../infra/evaluate.ts';
import { RUNTIME } from './runtime.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-given-'));
const evaluator = createEvaluator({ home });
afterAll(() => rmSync(home, { recursive: true, force: true }));

const file = (path: string, text: string) => ({ path, content: Buffer.from(text) });

const evaluate = (command: string, more: Partial<EvaluateSpec> = {}, subject = evaluator) =>
  subject.evaluate(
    {
      files: [],
      command,
      timeoutSeconds: 60,
      seed: 7,
      artefacts: [],
      runtime: RUNTIME,
      conversation: null,
      limits: { roundSeconds: 30, lineBytes: 1000, totalBytes: 5000 },
      ...more,
    },
    new AbortController().signal,
  );

describe('an evaluator', () => {
  it('finds the measures of the run in runtime.json, unless the task has a file of that name', async () => {
    const result = await evaluate('test ! -w runtime.json || test "$(id -u)" = 0 && cat runtime.json >&2; exit 1');
    expect(JSON.parse(result.ok ? '' : result.failure.logTail)).toEqual(RUNTIME);
    const own = await evaluate('cat runtime.json >&2; exit 1', { files: [file('runtime.json', 'mine')] });
    expect(own.ok ? '' : own.failure.logTail).toBe('mine');
  });

  it('gets a secret only if its task draws data with one', async () => {
    const tell = 'echo "{\\"given\\": ${PERPETUA_TASK_SECRET:-0}}" >&3';
    expect(await evaluate(tell)).toMatchObject({ evaluation: { metrics: { given: 0 } } });
    expect(await evaluate(tell, { secret: '7' })).toMatchObject({ evaluation: { metrics: { given: 7 } } });
  });

  it.each([
    ['the GPUs that its worker may see', '1', '1 PCI_BUS_ID'],
    ['no GPU if all are hidden', '', ' PCI_BUS_ID'],
    ['all GPUs if none is hidden', null, 'unset unset'],
  ])('sees %s', async (_, visibleGpus, seen) => {
    const subject = createEvaluator({ home, visibleGpus, gpuOrder: 'PCI_BUS_ID' });
    const tell = 'echo "${CUDA_VISIBLE_DEVICES-unset} ${CUDA_DEVICE_ORDER-unset}" >&2; exit 1';
    const result = await evaluate(tell, { gpu: true }, subject);
    expect(result.ok ? '' : result.failure.logTail).toBe(`${seen}\n`);
  });
});
