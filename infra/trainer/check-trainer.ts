import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { trainerEnvironment } from './trainer-paths.ts';
import type { Trainer } from '../../domain/learning/trainer.ts';

/** Time limit in ms; the first import of the libraries takes a minute. */
const PATIENCE_MS = 600_000;

export type Checked = z.infer<typeof Checked>;
const Checked = z.object({
  ok: z.literal(true),
  versions: z.record(z.string(), z.unknown()),
  gpus: z.array(z.string()),
  gradient: z.number(),
});

interface Outputs {
  stdout: string;
  stderr: string;
}

/** Runs a forward and a backward pass; returns facts about the installation. Throws with the trainer's message. */
export async function checkTrainer(
  python: string,
  { packageRoot, env, trainer }: { packageRoot: string; env: Readonly<Record<string, string>>; trainer: Trainer },
): Promise<Checked> {
  const settings = ['--device', trainer.device, '--dtype', trainer.dtype, '--threads', String(trainer.threads)];
  const args = ['-m', 'perpetua_trainer', 'check', ...settings];
  const options = { env: trainerEnvironment(packageRoot, env), timeout: PATIENCE_MS };
  const { stdout } = await promisify(execFile)(python, args, options).catch((error: unknown) => {
    const { stdout: output = '', stderr = '', message } = error as Partial<Outputs> & { message: string };
    throw new Error(output.trim() || stderr.trim().split('\n').at(-1) || message);
  });
  return Checked.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
}
