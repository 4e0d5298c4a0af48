import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../config/paths.ts';
import type { InstallOptions } from '../../../infra/trainer/install-trainer.ts';

/** An interpreter and a uv that download nothing, in a folder of their own. */
export interface FakeUv {
  folder: string;
  /** File with the arguments of uv, one call a line. */
  calls: string;
  options: InstallOptions;
  progressLines: string[];
  close: () => Promise<void>;
}

/** `sync` is what `uv pip sync` does, in sh; `version` is the interpreter's. */
export async function fakeUv({ sync = 'true', version = '3, 12' } = {}): Promise<FakeUv> {
  const folder = await mkdtemp(join(tmpdir(), 'perpetua-uv-'));
  const calls = join(folder, 'calls');
  await mkdir(join(folder, 'bin'));
  const python = join(folder, 'bin', 'python');
  await script(python, `[ "$1" = -c ] && echo '[[${version}], "${python}"]'`);
  const venv = `for last; do :; done; mkdir -p "$last/bin"; cp "${python}" "$last/bin/python"`;
  await script(join(folder, 'bin', 'uv'), `echo "$*" >>"${calls}"; if [ "$1" = venv ]; then ${venv}; else ${sync}; fi`);
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
