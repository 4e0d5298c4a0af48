import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCheckpoint } from '../../../cli/policy/read-checkpoint.ts';
import { writeExport } from '../../../cli/policy/write-export.ts';
import { loadConfig } from '../../../config/load.ts';
import { batchOf, checkpointOf, rolloutOf, samplesOf } from '../../support/policy/batch-of.ts';
import { openPolicy, type PolicyHome } from '../../support/policy/fake.ts';
import { makeTiny, runPython } from '../../support/policy/tiny.ts';

/** Program that scores tokens with PEFT as its users do, without the trainer's own code. */
const SCORE = `
import json, sys
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM
base, adapter, prompt, completion = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
def score(model):
    with torch.no_grad():
        logits = model.eval()(torch.tensor([prompt + completion])).logits[0]
    logprobs = torch.log_softmax(logits.float(), -1)
    return [logprobs[len(prompt) + i - 1, token].item() for i, token in enumerate(completion)]
alone = score(model)
print(json.dumps({"alone": alone, "adapted": score(PeftModel.from_pretrained(model, adapter))}))
`;

const folder = await mkdtemp(join(tmpdir(), 'perpetua-tiny-'));
const base = join(folder, 'base');
const { signal } = new AbortController();
let home: PolicyHome;
beforeAll(async () => {
  await makeTiny(base);
  home = await openPolicy({ ...loadConfig().trainer, device: 'cpu', dtype: 'float32', program: null });
});
afterAll(async () => {
  await home.close();
  await rm(folder, { recursive: true, force: true });
});

const differenceOf = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, at) => Math.abs(value - (b[at] ?? NaN))));

test('an export is an adapter that PEFT loads, with the log-probabilities of the version that sampled', async () => {
  const asked = { base, content: 'w5 w6 w7', maxTokens: 6, signal };
  const samples = await samplesOf(home.policy, asked, { count: 4 });
  const facts = await home.policy.facts(base, signal);
  const batch = batchOf(
    facts,
    samples.map((sample, index) => rolloutOf(sample, index, index)),
  );
  // The step is so large that the adapted model differs from the base.
  const far = { ...batch, optimizer: { ...batch.optimizer, lr: 0.1 } };
  const result = await home.policy.step(far, { base }, signal);
  const version = checkpointOf(home.policy, result);
  const [drawn] = await samplesOf(home.policy, asked, { count: 1, from: 9, version });
  if (drawn === undefined) throw new Error('expected a sample, got none');
  const out = join(folder, 'adapter');
  const { files } = await readCheckpoint(version.path, result);
  await writeExport(out, { folder: version.path, files, about: {} });
  expect(JSON.parse(await readFile(join(out, 'adapter_config.json'), 'utf8'))).toMatchObject({ peft_type: 'LORA' });
  const words = [base, out, JSON.stringify(drawn.promptIds), JSON.stringify(drawn.completionIds)];
  const { alone, adapted } = JSON.parse(await runPython(SCORE, words)) as Record<'alone' | 'adapted', number[]>;
  expect(differenceOf(adapted, drawn.logprobs)).toBeLessThan(1e-4);
  expect(differenceOf(alone, drawn.logprobs)).toBeGreaterThan(1e-2);
});
