import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { PolicyError } from '../policy.ts';
import { killWithParent } from '../process/kill-with-parent.ts';
import { trainerEnvironment } from '../trainer/trainer-paths.ts';
import { waitForLock } from '../trainer/wait-for-lock.ts';
import { withPackagedModel } from '../trainer/packaged-model.ts';
import { NAMED_MODELS, type NamedModel } from '../trainer/named-models.ts';
import type { PolicyOptions } from './options.ts';
import { parse } from './errors.ts';
import type { ServerPaths } from './server-paths.ts';

type Options = Pick<PolicyOptions, 'packageRoot' | 'env' | 'trainer'> & { python: string };

/** The folder of a model: itself, or what its GGUF was converted to, once. Throws {@link PolicyError}. */
export async function findBase(place: ServerPaths, options: Options): Promise<string> {
  const { base } = place;
  const named = NAMED_MODELS[base];
  if (named !== undefined) return getNamed(named, place, options).catch(cannotGet(base));
  const found = isAbsolute(base) ? statSync(base, { throwIfNoEntry: false }) : undefined;
  if (found?.isDirectory()) return base;
  if (found?.isFile() && base.endsWith('.gguf')) return convert(base, place, options);
  const names = Object.keys(NAMED_MODELS).join(', ');
  const expected = `expected a model: ${names}, or the absolute path of a folder or of a .gguf file that is there`;
  throw new PolicyError(`${expected}; got ${JSON.stringify(base)}: set search.proposer.base`, { kind: 'down' });
}

/** Gets and converts it once; of two who want it at once one waits. */
async function getNamed(model: NamedModel, place: ServerPaths, options: Options): Promise<string> {
  const kept = join(options.trainer.models, model.gguf.sha256);
  const isKept = () => existsSync(join(kept, 'manifest.json'));
  if (isKept()) return kept;
  const tell = (line: string) => say(place, line);
  const release = await waitForLock(`${kept}.lock`, { tell });
  try {
    if (isKept()) return kept;
    return await withPackagedModel(model, { ...options, tell }, (gguf) => convert(gguf, place, options));
  } finally {
    release();
  }
}

const Converted = z.object({ path: z.string().min(1) });
const Refused = z.object({ refused: z.object({ path: z.string(), expected: z.string(), got: z.string() }) });

async function convert(gguf: string, place: ServerPaths, options: Options): Promise<string> {
  const { models } = options.trainer;
  mkdirSync(models, { recursive: true });
  const words = ['-m', 'perpetua_trainer', 'convert', '--gguf', gguf, '--out', models];
  say(place, `converting ${gguf} into ${models}, where it is not there yet`);
  const child = spawn(options.python, words, {
    env: trainerEnvironment(options.packageRoot, options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const untie = killWithParent(child);
  let last = '';
  createInterface(child.stdout).on('line', (line) => (last = line));
  createInterface(child.stderr).on('line', (line) => say(place, line));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(untie);
  const done = Converted.safeParse(parse(last));
  if (code === 0 && done.success) return done.data.path;
  const { data } = Refused.safeParse(parse(last));
  if (data) {
    const { path, expected, got } = data.refused;
    throw new PolicyError(`cannot convert ${gguf}: ${path}: expected ${expected}, got ${got}`, { kind: 'down' });
  }
  throw new PolicyError(`cannot convert ${gguf}: ${last || `it ended with ${String(code)}`}; see ${place.log}`, {
    kind: 'failed',
  });
}

const say = ({ log }: ServerPaths, line: string): void => appendFileSync(log, `${line}\n`, { mode: 0o600 });

const cannotGet =
  (base: string) =>
  (error: unknown): never => {
    if (error instanceof PolicyError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new PolicyError(`cannot get the model ${base}: ${why}`, { kind: 'down' });
  };
