import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { PolicyError } from '../policy.ts';
import { killWithParent } from '../process/kill-with-parent.ts';
import { reportGrowth, sizeOfTree } from '../report-growth.ts';
import { trainerEnvironment } from '../trainer/trainer-paths.ts';
import { waitForLock } from '../trainer/wait-for-lock.ts';
import { withPackagedModel } from '../trainer/packaged-model.ts';
import { NAMED_MODELS, type NamedModel } from '../trainer/named-models.ts';
import { EXPECTED_BASE } from './check-base.ts';
import type { Tell } from './call-server.ts';
import type { PolicyOptions } from './options.ts';
import { parse } from './errors.ts';
import type { ServerPaths } from './server-paths.ts';

type Options = Pick<PolicyOptions, 'packageRoot' | 'env' | 'trainer'> & {
  python: string;
  /** Receives progress, which the server's log gets, too. */
  tell?: Tell;
};

/** Finds the folder of a model; converts a GGUF file to a folder once. Throws {@link PolicyError}. */
export async function findBase(paths: ServerPaths, options: Options): Promise<string> {
  const { base } = paths;
  const named = NAMED_MODELS[base];
  if (named !== undefined) return getNamed(named, paths, options).catch(cannotGet(base));
  const found = isAbsolute(base) ? statSync(base, { throwIfNoEntry: false }) : undefined;
  if (found?.isDirectory()) return base;
  if (found?.isFile() && base.endsWith('.gguf')) return convert(base, paths, options);
  const got = `expected ${EXPECTED_BASE}; got ${JSON.stringify(base)}: set search.proposer.base`;
  throw new PolicyError(got, { kind: 'down' });
}

/** Downloads and converts a named model once; of two concurrent calls, one waits. */
async function getNamed(model: NamedModel, paths: ServerPaths, options: Options): Promise<string> {
  const kept = join(options.trainer.models, model.gguf.sha256);
  const isKept = () => existsSync(join(kept, 'manifest.json'));
  if (isKept()) return kept;
  const tell = (line: string) => report(line, paths, options);
  const release = await waitForLock(`${kept}.lock`, { tell });
  try {
    if (isKept()) return kept;
    return await withPackagedModel(model, { ...options, tell }, (gguf) => convert(gguf, paths, options));
  } finally {
    release();
  }
}

const Converted = z.object({ path: z.string().min(1) });
const Refused = z.object({ refused: z.object({ path: z.string(), expected: z.string(), got: z.string() }) });

async function convert(gguf: string, paths: ServerPaths, options: Options): Promise<string> {
  const { models } = options.trainer;
  mkdirSync(models, { recursive: true });
  const args = ['-m', 'perpetua_trainer', 'convert', '--gguf', gguf, '--out', models];
  report(`converting ${gguf} into ${models}, unless it is there already`, paths, options);
  const child = spawn(options.python, args, {
    env: trainerEnvironment(options.packageRoot, options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const untie = killWithParent(child);
  const stopReports = reportGrowth({
    what: 'still converting',
    size: () => sizeOfUnfinished(models),
    tell: (line) => report(line, paths, options),
  });
  let last = '';
  createInterface(child.stdout).on('line', (line) => (last = line));
  createInterface(child.stderr).on('line', (line) => writeLog(paths, line));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => {
    stopReports();
    untie();
  });
  const done = Converted.safeParse(parse(last));
  if (code === 0 && done.success) return done.data.path;
  const { data } = Refused.safeParse(parse(last));
  if (data) {
    const { path, expected, got } = data.refused;
    throw new PolicyError(`cannot convert ${gguf}: ${path}: expected ${expected}, got ${got}`, { kind: 'down' });
  }
  throw new PolicyError(`cannot convert ${gguf}: ${last || `it ended with ${String(code)}`}; see ${paths.log}`, {
    kind: 'failed',
  });
}

/** Beginning of the names of folders of unfinished conversions (`trainer/perpetua_trainer/disk/publish.py`). */
const UNFINISHED = '.tmp-';

/** Bytes in the folders of unfinished conversions. */
export async function sizeOfUnfinished(models: string): Promise<number> {
  const names = (await readdir(models)).filter((name) => name.startsWith(UNFINISHED));
  const sizes = await Promise.all(names.map((name) => sizeOfTree(join(models, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function report(line: string, paths: ServerPaths, { tell }: Options): void {
  writeLog(paths, line);
  tell?.(line);
}

const writeLog = ({ log }: ServerPaths, line: string): void => appendFileSync(log, `${line}\n`, { mode: 0o600 });

const cannotGet =
  (base: string) =>
  (error: unknown): never => {
    if (error instanceof PolicyError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new PolicyError(`cannot get the model ${base}: ${why}`, { kind: 'down' });
  };
