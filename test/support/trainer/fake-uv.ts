import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../config/paths.ts';
import type { InstallOptions } from '../../../infra/trainer/install-trainer.ts';

/** A fake interpreter and a fake uv that download nothing, in a temporary folder. */
export interface FakeUv {
  folder: string;
  /** File with the arguments of uv, one call a line. */
  calls: string;
  options: InstallOptions;
  progressLines: string[];
  close: () => Promise<void>;
}

/**
 * Makes a fake uv. `otherCalls`: shell script of all calls but `uv venv`. `version`: major and minor version of the
 * interpreter.
 */
export async function fakeUv({ otherCalls = 'true', version = '3, 12' } = {}): Promise<FakeUv> {
  const folder = await mkdtemp(join(tmpdir(), 'perpetua-uv-'));
  const calls = join(folder, 'calls');
  await mkdir(join(folder, 'bin'));
  const python = join(folder, 'bin', 'python');
  await script(python, `[ "$1" = -c ] && echo '[[${version}], "${python}"]'`);
  const venv = `for last; do :; done; mkdir -p "$last/bin"; cp "${python}" "$last/bin/python"`;
  const uv = `echo "$*" >>"${calls}"; if [ "$1" = venv ]; then ${venv}; else ${otherCalls}; fi`;
  await script(join(folder, 'bin', 'uv'), uv);
  const progressLines: string[] = [];
  const places = { cache: join(folder, 'cache'), models: join(folder, 'models'), python };
  const trainer: InstallOptions['trainer'] = {
    ...places,
    device: 'cpu',
    dtype: 'float32',
    threads: 1,
    program: null,
    endpoint: null,
  };
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, OPENAI_API_KEY: 'secret' };
  const options = { packageRoot: packageRoot(), trainer, env, tell: (line: string) => void progressLines.push(line) };
  return { folder, calls, options, progressLines, close: () => rm(folder, { recursive: true, force: true }) };
}

async function script(path: string, body: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
}
