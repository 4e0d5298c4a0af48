import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { describeTransfer } from '../../domain/text/transfer.ts';
import { PolicyError } from '../policy.ts';
import { killWithParent } from '../process/kill-with-parent.ts';
import { trainerEnvironment } from '../trainer/trainer-paths.ts';
import { waitForLock } from '../trainer/wait-for-lock.ts';
import { withPackagedModel } from '../trainer/packaged-model.ts';
import { NAMED_MODELS, type NamedModel } from '../trainer/named-models.ts';
import { EXPECTED_BASE } from './check-base.ts';
import type { PolicyOptions } from './options.ts';
import { parse } from './errors.ts';
import type { ServerPaths } from './server-paths.ts';

type Options = Pick<PolicyOptions, 'packageRoot' | 'env' | 'trainer'> & { python: string };

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
  const tell = (line: string) => writeLog(paths, line);
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
  writeLog(paths, `converting ${gguf} into ${models}, unless it is there already`);
  const child = spawn(options.python, args, {
    env: trainerEnvironment(options.packageRoot, options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const untie = killWithParent(child);
  const stopReports = reportWritten(models, (line) => writeLog(paths, line));
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

const REPORT_MS = 10_000;
/** Beginning of the names of folders of unfinished conversions (`trainer/perpetua_trainer/disk/publish.py`). */
const UNFINISHED = '.tmp-';

/** Reports the size of unfinished models every ten seconds. Returns a function that ends the reports. */
function reportWritten(models: string, tell: (line: string) => void): () => void {
  const began = performance.now();
  const timer = setInterval(() => {
    const seconds = (performance.now() - began) / 1000;
    try {
      const transfer = describeTransfer({ bytes: sizeOfUnfinished(models), seconds });
      tell(`still converting (${Math.round(seconds)} s, ${transfer})`);
    } catch {
      // A report that fails, such as on a full disk, must not end the worker.
    }
  }, REPORT_MS);
  return () => clearInterval(timer);
}

/** Bytes in the folders of unfinished models. */
export function sizeOfUnfinished(models: string): number {
  const folders = readdirSync(models, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name.startsWith(UNFINISHED),
  );
  const files = folders.flatMap(({ name }) => readdirSync(join(models, name)).map((file) => join(models, name, file)));
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

const writeLog = ({ log }: ServerPaths, line: string): void => appendFileSync(log, `${line}\n`, { mode: 0o600 });

const cannotGet =
  (base: string) =>
  (error: unknown): never => {
    if (error instanceof PolicyError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new PolicyError(`cannot get the model ${base}: ${why}`, { kind: 'down' });
  };
