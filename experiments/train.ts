/**
 * A GRPO step against TRL's, on one batch and model, interleaved, five rounds: npx tsx experiments/train.ts [--gpu] [rounds]
 * Installs the environment of the trainer's tests, which has TRL, where it is missing. How long it takes from the last
 * outcome of a batch to the first sample of its version is measured by bench/learn.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../config/load.ts';
import { findBase } from '../infra/policy/base.ts';
import { serverPaths } from '../infra/policy/server-paths.ts';
import { checkTrainer } from '../infra/trainer/check-trainer.ts';
import { installTrainer } from '../infra/trainer/install-trainer.ts';
import { sourceOf, trainerEnvironment } from '../infra/trainer/trainer-paths.ts';
import { quantile } from '../bench/support/quantile.ts';
import { printTable } from '../bench/support/table.ts';

const MODEL = 'smollm2-135m';
const [words, gpu] = [process.argv.slice(2), process.argv.includes('--gpu')];
const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 5);

const Round = z.object({
  seconds: z.record(z.string(), z.number()),
  tokensPerSecond: z.number(),
  memoryBytes: z.number(),
});
const Compared = z.object({
  rounds: z.object({ ours: z.array(Round), trl: z.array(Round) }),
  speed: z.number(),
  memory: z.number(),
});

const config = loadConfig();
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const { python } = await installTrainer('test', { ...config, tell });
const device = gpu ? 'cuda' : 'cpu';
const seen = gpu ? await checkTrainer(python, { ...config, trainer: { ...config.trainer, device } }) : null;
if (seen !== null && seen.gpus.length === 0) {
  tell('not run on a GPU: torch sees none here');
  process.exit(1);
}
const base = await findBase(serverPaths(config.home, MODEL), { ...config, python });
const child = spawn(
  python,
  [
    join(sourceOf(config.packageRoot), 'bench', 'step.py'),
    '--base',
    base,
    '--rounds',
    String(rounds),
    '--device',
    device,
  ],
  { env: trainerEnvironment(config.packageRoot, process.env), stdio: ['ignore', 'pipe', 'inherit'] },
);
let said = '';
child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
const [code] = (await once(child, 'close')) as [number | null];
if (code !== 0) throw new Error(`expected the rounds of step.py, it ended with ${code}`);
const compared = Compared.parse(JSON.parse(said));

const median = (values: readonly number[]): number | null => (values.length === 0 ? null : quantile(values, 0.5));
const rows = (['ours', 'trl'] as const).map((engine) => {
  const all = compared.rounds[engine];
  const part = (name: string) => median(all.flatMap(({ seconds }) => seconds[name] ?? []));
  return [
    engine,
    median(all.map(({ tokensPerSecond }) => tokensPerSecond)),
    median(all.map(({ memoryBytes }) => memoryBytes / 2 ** 20)),
    ...['load', 'step', 'forward', 'backward', 'save'].map(part),
  ];
});
printTable(
  `a GRPO step of ${MODEL} on ${seen?.gpus.join(', ') ?? 'one CPU thread'}, medians of ${rounds} rounds`,
  ['engine', 'tokens/s', 'MiB', 'load s', 'step s', 'forward s', 'backward s', 'save s'],
  rows,
);
process.stdout.write(`\nspeed ${compared.speed.toFixed(2)} ×, memory ${compared.memory.toFixed(2)} × of TRL's\n`);
if (!gpu) process.stdout.write('not run on a GPU\n');
