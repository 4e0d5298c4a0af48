// What tests cost: the CPU seconds of a command with all that it starts, and of each test file.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, run } from './lib.mjs';

const perl = fileURLToPath(new URL('cpu.pl', import.meta.url));
const DEAREST = 20;

/**
 * Runs a command in the clone; `folder` is for notes. Returns whether it ended with 0, its CPU seconds (user + system) in
 * words, and the table of the dearest test files.
 */
export async function runCounted(command, folder) {
  const [total, files] = [join(folder, 'cpu'), join(folder, 'cpu-of-files')];
  const hasPerl = spawnSync('perl', ['-MPOSIX', '-e', '1']).status === 0;
  const counted = hasPerl ? ['perl', perl, total, ...command] : ['sh', '-c', BY_SHELL, total, ...command];
  const went = await run(counted, { env: { ...process.env, PERPETUA_TEST_CPU: files } }).then(
    () => true,
    () => false,
  );
  return { went, cpu: existsSync(total) ? totalOf(readFileSync(total, 'utf8')) : 'not counted', table: tableOf(files) };
}

/** A shell's `times`, of its children, in its last line: it knows of no process that its parent left. */
const BY_SHELL = '"$@"; code=$?; times > "$0"; exit $code';

function totalOf(text) {
  const byPerl = /^([\d.]+) (.*)\n$/.exec(text);
  if (byPerl) return `${Math.round(byPerl[1])} s, ${byPerl[2]}`;
  const seconds = [...(text.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return `${Math.round(seconds.reduce((sum, one) => sum + one, 0))} s, without daemons: there is no perl`;
}

function tableOf(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines
    .map((line) => JSON.parse(line))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, DEAREST)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${relative(root, file)}`);
}
